// SPDX-License-Identifier: Apache-2.0
// report: prints the lines of tests and the totals on standard output. On stderr it prints a progress line in long
// runs, and at the end says if the machine was too busy for the times to mean anything. All drivers use it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../correctness/check.hpp"
#include "../problem/mode.hpp"
#include "../timing/sampler.hpp"

namespace benchdnn_lite {

// How a test is named, and what is known before it runs.
struct test_title {
    std::string line;         // the arguments that reproduce the test
    std::string shown;        // the text for where space is short
    std::string reproduction; // the whole command line to type after a failure
    std::string name;         // the problem's name; may be empty
    uint64_t seed = 0;
    int verbosity = 0;
    bool is_listed = false; // it is only listed, and will not run
};

// The lines about the time of a test.
struct timed_lines {
    std::string heading; // printed first, unless the previous timed test had the same
    std::vector<std::string> lines;
    std::vector<spread> spreads;         // the times of each line, in any unit
    double least_ms = 0, average_ms = 0; // sums over the lines
    double over_memcpy = 0;              // timing::over_memcpy(); 0: leave it out of the summary
    bool replace_result = false;         // the lines have the result too, so that its own line is left out
};

// How many tests ended in which way.
struct tally {
    size_t tests = 0, passed = 0, skipped = 0, unimplemented = 0, invalid_arguments = 0, failed = 0, listed = 0;
    size_t filtered = 0; // how many of the skipped ones are due to --impl or --skip-impl
    void count(const outcome &what);
    std::string line() const;
};

class report {
public:
    explicit report(size_t tests, const summary_parts &summary = {}); // tests: how many there will be

    void announce(const test_title &next); // to be called before a test runs
    // Prints and counts a test that has run.
    void add(const test_title &title, const test_result &result, const timed_lines &timed = {});
    void finish(const phase_times &phases); // prints the totals

    size_t index() const { return counts_.tests; } // the number of the next test
    const tally &counts() const { return counts_; }
    double seconds() const;

private:
    void show_progress(const test_title &next); // on stderr, only if that is a terminal
    void clear_progress();
    void print_timed(const test_title &title, const timed_lines &timed);
    void print_meaning() const; // a calm machine's table in one line, as multiples of memcpy
    void print_failures() const;
    void print_implementations() const;
    void print_phases(const phase_times &phases) const;
    void print_unrest() const; // whether the machine was too busy

    const size_t tests_;
    const summary_parts summary_;
    const bool is_terminal_;
    tally counts_;
    std::vector<std::string> failures_;             // the lines of the first ones
    std::map<std::string, size_t> implementations_; // how many tests each has
    size_t failure_count_ = 0, timed_count_ = 0, restless_count_ = 0;
    double least_ms_ = 0, average_ms_ = 0;                    // sums over all timed tests
    double worst_over_best_ = 0;                              // the largest ratio among spreads beyond reason
    std::string most_restless_;                               // the test with that ratio
    std::vector<std::pair<double, std::string>> over_memcpy_; // each problem's ratio and name
    std::string heading_;                                     // the last one printed
    bool progress_shown_ = false;
    const std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_progress_;
};

} // namespace benchdnn_lite
