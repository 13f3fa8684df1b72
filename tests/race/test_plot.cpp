// SPDX-License-Identifier: Apache-2.0
// The picture: round ticks, labels that do not meet, one line for each contestant.
#include "race/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "race/log_axis.hpp"

namespace benchdnn_lite {
namespace {

using numbers = std::vector<double>;

void expect_near(const numbers &got, const numbers &expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6 * expected[i]);
}

TEST(log_axis, ticks_are_round_and_reach_beyond_both_ends) {
    expect_near(log_axis(3, 90, 0, 1).ticks(), {2, 5, 10, 20, 50, 100});
    expect_near(log_axis(1, 10, 0, 1).ticks(), {1, 2, 5, 10});
    expect_near(log_axis(0.03, 0.04, 0, 1).ticks(), {0.02, 0.05, 0.1});
    expect_near(log_axis(7, 7, 0, 1).ticks(), {5, 10, 20});
    expect_near(log_axis(6144, 2.7e8, 0, 1).ticks(), {1e4, 1e5, 1e6, 1e7, 1e8});
}

TEST(log_axis, equal_ratios_are_equally_far_apart) {
    const log_axis axis(1, 100, 10, 30);
    EXPECT_NEAR(axis.pixel(1), 10, 1e-9);
    EXPECT_NEAR(axis.pixel(10), 20, 1e-9);
    EXPECT_NEAR(axis.pixel(100), 30, 1e-9);
}

TEST(log_axis, labels_stay_where_they_are_or_move_apart) {
    EXPECT_EQ(apart({10, 50, 90}, 15, 100), (numbers{10, 50, 90}));
    EXPECT_EQ(apart({50, 50, 10}, 15, 100), (numbers{50, 65, 10}));
    EXPECT_EQ(apart({95, 99, 97}, 15, 100), (numbers{70, 100, 85}));
    EXPECT_EQ(apart({}, 15, 100), numbers{});
}

race_result result(direction dir, dim_t rows, std::optional<double> theirs) {
    race_result r;
    r.prb.dir = dir;
    r.prb.size.dims = {rows, 1000};
    r.bytes = double(rows) * 8000;
    r.ours_us = r.bytes / 4e4;
    r.theirs_us = theirs;
    r.limit_us = r.bytes / 4.1e4;
    return r;
}

size_t count_of(const std::string &text, const std::string &part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// The y of the labels with that colour.
double place_of(const std::string &svg, const std::string &label) {
    const size_t end = svg.find(">" + label + "</text>"), begin = svg.rfind(" y=\"", end);
    return end == svg.npos ? NAN : std::stod(svg.substr(begin + 4));
}

const race_setting SETTING{"jitnorm 1.2.3", "/a/long/folder/other & co", {}};

TEST(race_plot, a_panel_for_each_direction_with_a_line_for_each_contestant) {
    const std::vector<race_result> results{result(direction::FWD_D, 4, 1), result(direction::FWD_D, 400, 90),
                                           result(direction::BWD_DW, 40, 9), result(direction::BWD_DW, 4000, 900)};
    const std::string svg = race_plot("one < two", SETTING, results);
    EXPECT_NE(svg.find(">one &lt; two</text>"), svg.npos);
    EXPECT_EQ(count_of(svg, "<polyline"), 6u);
    EXPECT_EQ(count_of(svg, "<circle"), 12u);
    for (const char *text : {"forward", "backward", "100 kB", "10 MB", "jitnorm 1.2.3", "other &amp; co"})
        EXPECT_NE(svg.find(std::string(">") + text + "</text>"), svg.npos) << text << "\n" << svg;
    EXPECT_NE(svg.find("<title>jitnorm 1.2.3, 400x1000: 40 GB/s</title>"), svg.npos);
}

TEST(race_plot, labels_of_lines_that_end_together_do_not_meet) {
    const std::string svg = race_plot("", SETTING, {result(direction::FWD_D, 400, 80)});
    numbers places{place_of(svg, "jitnorm 1.2.3"), place_of(svg, "other &amp; co"), place_of(svg, "best copy")};
    std::sort(places.begin(), places.end());
    EXPECT_GE(places[1] - places[0], 12);
    EXPECT_GE(places[2] - places[1], 12);
}

TEST(race_plot, a_peer_that_refused_all_has_no_line) {
    const std::string svg = race_plot("", SETTING, {result(direction::FWD_D, 4, {}), result(direction::FWD_D, 40, {})});
    EXPECT_EQ(count_of(svg, "<polyline"), 2u);
    EXPECT_EQ(svg.find("other"), svg.npos);
    EXPECT_EQ(svg.find("backward"), svg.npos);
    EXPECT_EQ(count_of(race_plot("", SETTING, {}), "<polyline"), 0u);
}

} // namespace
} // namespace benchdnn_lite
