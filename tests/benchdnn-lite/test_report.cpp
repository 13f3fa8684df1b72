// SPDX-License-Identifier: Apache-2.0
// Measurements in few words, and when a machine is said to be too busy for them.
#include "cli/report.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/json_report.hpp"
#include "timing/timing.hpp"

namespace benchdnn_lite {
namespace {

std::vector<double> repeated(double value, size_t count) { return std::vector<double>(count, value); }

// `count` samples of 1, then `late` ones of `value`.
spread with_late_ones(size_t count, size_t late, double value) {
    std::vector<double> samples = repeated(1, count);
    samples.insert(samples.end(), late, value);
    return spread_of(samples);
}

TEST(spread, least_average_most_and_median) {
    const spread s = spread_of({4, 1, 9, 2});
    EXPECT_EQ(s.least, 1);
    EXPECT_EQ(s.average, 4);
    EXPECT_EQ(s.most, 9);
    EXPECT_EQ(s.median, 4);
    EXPECT_EQ(s.count, 4);
    EXPECT_EQ(s.worst_over_best(), 9);
    EXPECT_EQ(spread_of({3}).median, 3);
    EXPECT_EQ(spread_of({5, 7, 6}).median, 6);
    EXPECT_EQ(spread_of({5, 7, 6}).lower_third, 6);
    EXPECT_EQ(spread_of({5, 7, 6, 4, 9, 8}).lower_third, 6);
}

TEST(spread, a_few_late_ones_are_within_reason_and_many_are_not) {
    EXPECT_FALSE(with_late_ones(100, 0, 0).is_beyond_reason());
    EXPECT_FALSE(with_late_ones(1000, 3, 200).is_beyond_reason());
    EXPECT_FALSE(with_late_ones(10, 90, 1.9).is_beyond_reason());
    EXPECT_TRUE(with_late_ones(40, 60, 2.1).is_beyond_reason()) << "the usual one is late";
    EXPECT_TRUE(with_late_ones(90, 10, 50).is_beyond_reason()) << "the average one is late";
    EXPECT_FALSE(with_late_ones(1, 5, 100).is_beyond_reason()) << "too few to tell";
}

// Threads that wait for cores which others use are late each time, so that nothing varies; they may take so long that
// the time for a problem is over after a few measurements.
TEST(spread, threads_that_take_longer_than_one_are_beyond_reason) {
    for (const auto &[count, one_thread] : {std::pair<size_t, double>{100, 0.6}, {3, 1 / 3.0}}) {
        spread s = with_late_ones(count, 0, 0);
        s.one_thread = one_thread;
        EXPECT_FALSE(s.is_beyond_reason()) << count;
        EXPECT_EQ(s.worst_over_best(), 1 / one_thread);
        s.one_thread = 1 / 800.0;
        EXPECT_TRUE(s.is_beyond_reason()) << count;
        EXPECT_EQ(s.worst_over_best(), 800);
    }
}

// A run that is killed, or a program that looks on, has the tests up to there.
TEST(json_report, a_result_is_in_the_file_as_soon_as_it_is_added) {
    const std::string name = testing::TempDir() + "results_of_test_report.json";
    json_report results(name);
    results.add(test_title{"--lnorm 2x3", "2x3", "", "", 1, 0, false}, lnorm_result{});
    std::ostringstream content;
    content << std::ifstream(name).rdbuf();
    EXPECT_NE(content.str().find("--lnorm 2x3"), std::string::npos) << content.str();
    std::filesystem::remove(name);
}

timed_lines timed(const spread &s) {
    timed_lines t;
    t.heading = "heading\n";
    t.lines = {"a line"};
    t.spreads = {s};
    return t;
}

struct output {
    std::string out, err;
};

output report_of(const std::vector<spread> &spreads) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    report r(spreads.size());
    for (size_t i = 0; i < spreads.size(); ++i)
        r.add({"--lnorm " + std::to_string(i), std::to_string(i), "", "", 1, 0, false}, {}, timed(spreads[i]));
    r.finish({});
    const std::string err = testing::internal::GetCapturedStderr();
    return {testing::internal::GetCapturedStdout(), err};
}

TEST(report, says_that_a_machine_is_too_busy_to_measure_on) {
    const spread calm = with_late_ones(100, 1, 9), busy = with_late_ones(10, 10, 12), busier = with_late_ones(9, 9, 70);
    EXPECT_EQ(report_of({calm, calm}).err, "");
    const output o = report_of({calm, busy, busier, calm});
    EXPECT_NE(o.err.find("too busy to measure on: in 2 of 4 timed tests"), o.err.npos) << o.err;
    EXPECT_NE(o.err.find("the worst took 70 times as long (2)."), o.err.npos) << o.err;
    EXPECT_EQ(o.err.find('\n'), o.err.size() - 1) << "one line";
    EXPECT_EQ(o.out.find("busy"), o.out.npos) << "results are for programs, too";
    EXPECT_EQ(o.out.find("heading"), o.out.rfind("heading"));
}

// The problems' ratios to a memcpy, by the order of the tests; 0 where no table is printed.
std::string meaning_of(const std::vector<double> &ratios, const spread &last = with_late_ones(10, 0, 0)) {
    testing::internal::CaptureStdout();
    report r(ratios.size());
    for (size_t i = 0; i < ratios.size(); ++i) {
        timed_lines t = timed(i + 1 == ratios.size() ? last : with_late_ones(10, 0, 0));
        t.over_memcpy = ratios[i];
        r.add({"line", "problem " + std::to_string(i), "", i == 2 ? "its name" : "", 1, 0, false}, {}, t);
    }
    r.finish({});
    const std::string out = testing::internal::GetCapturedStdout();
    const size_t begin = out.find("to normalize");
    return begin == out.npos ? "" : out.substr(begin, out.find('\n', begin) - begin);
}

TEST(report, sums_a_table_up) {
    EXPECT_EQ(meaning_of({3, 1.25, 7, 1.5, 2}),
              "to normalize takes 2.00 times as long as to copy as many bytes (median of "
              "5 problems): from 1.25 (problem 1) to 7.00 (its name)");
    EXPECT_EQ(meaning_of({2}), "") << "the table says it";
    EXPECT_EQ(meaning_of({0, 0, 0}), "");
}

TEST(report, does_not_sum_up_what_a_busy_machine_took) {
    spread threads_wait = with_late_ones(10, 0, 0);
    threads_wait.one_thread = 1 / 800.0;
    testing::internal::CaptureStderr();
    EXPECT_EQ(meaning_of({3, 1.25, 2671}, threads_wait), "");
    const std::string err = testing::internal::GetCapturedStderr();
    EXPECT_NE(err.find("too busy to measure on: in 1 of 3 timed tests"), err.npos) << err;
    EXPECT_NE(err.find("the worst took 800 times as long (problem 2)."), err.npos) << err;
}

// The yardstick is the faster copy: waiting threads must not make an execution look good.
TEST(timing, a_copy_by_waiting_threads_is_no_yardstick) {
    timing t;
    t.us = with_late_ones(9, 0, 0);
    t.copy_us = spread_of(repeated(50, 9));
    EXPECT_EQ(t.over_memcpy(), 1 / 50.0);
    t.copy_us.one_thread = 0.5;
    EXPECT_EQ(t.over_memcpy(), 2);
    t.copy_us.one_thread = 60;
    EXPECT_EQ(t.over_memcpy(), 1 / 50.0);
}

} // namespace
} // namespace benchdnn_lite
