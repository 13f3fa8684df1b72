// SPDX-License-Identifier: Apache-2.0
// report: the lines on standard output, the totals, the progress line of long runs, and whether the machine was calm
// enough for the times to mean something. The same for all drivers.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "../correctness/check.hpp"
#include "../correctness/outcome.hpp"
#include "../timing/spread.hpp"

namespace benchdnn_lite {

// A test before it runs.
struct test_title {
    std::string line;         // reproduces it
    std::string shown;        // where space is short
    std::string reproduction; // of a failure: what to type
    std::string name;         // of the problem; may be empty
    uint64_t seed = 0;
    int verbosity = 0;
    bool is_listed = false; // it will not run
};

// What was timed of a test, for people.
struct timed_lines {
    std::string heading; // printed before the first one that has it
    std::vector<std::string> lines;
    std::vector<spread> spreads;         // of the times, in any unit, one for each line
    double least_ms = 0, average_ms = 0; // of all that was timed
    double over_memcpy = 0;              // as timing has it; 0: not to be summed up
    bool replace_result = false;         // they say all that the line of the result would say
};

struct test_result {
    outcome what;
    std::string implementation; // empty: none was made
    double milliseconds = 0;
};

struct tally {
    size_t tests = 0, passed = 0, skipped = 0, mistrusted = 0, unimplemented = 0, invalid_arguments = 0, failed = 0,
           listed = 0;
    size_t filtered = 0; // of the skipped: by --impl or --skip-impl
    void count(const outcome &what);
    std::string line() const;
};

class report {
public:
    explicit report(size_t tests);

    void announce(const test_title &next); // before it runs
    void add(const test_title &title, const test_result &result, const timed_lines &timed = {});
    void finish(const phase_times &phases);

    size_t index() const { return counts_.tests; } // of the test that comes next
    const tally &counts() const { return counts_; }
    double seconds() const;

private:
    void show_progress(const test_title &next); // on stderr, if that is a terminal
    void clear_progress();
    void print_timed(const test_title &title, const timed_lines &timed);
    void print_meaning() const; // of a table, in one line
    void print_phases(const phase_times &phases) const;
    void print_unrest() const;

    const size_t tests_;
    const bool is_terminal_;
    tally counts_;
    std::vector<std::string> failures_; // the first ones
    size_t failure_count_ = 0, timed_count_ = 0, restless_count_ = 0;
    double least_ms_ = 0, average_ms_ = 0; // sums over what was timed
    double worst_over_best_ = 0;           // the largest of what varied beyond reason
    std::string most_restless_;
    std::vector<std::pair<double, std::string>> over_memcpy_; // of each problem, and what it is called
    std::string heading_;                                     // printed last
    bool progress_shown_ = false;
    const std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_progress_;
};

} // namespace benchdnn_lite
