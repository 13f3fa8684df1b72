// SPDX-License-Identifier: Apache-2.0
// report: the lines on standard output, the totals, and the progress line of long runs.
#pragma once

#include <chrono>
#include <string>

#include "../correctness/check.hpp"
#include "perf_template.hpp"

namespace benchdnn_lite {

enum class state {
    listed,
    skipped,
    invalid_arguments,
    unimplemented,
    initialized,
    executed,
    passed,
    mistrusted,
    failed
};

const char *name_of(state status);

struct outcome {
    state status = state::passed;
    std::string reason;               // of what is neither passed nor executed
    std::vector<std::string> details; // of a failure
    std::vector<std::string> notes;   // for who asked for more
    size_t errors = 0, total = 0;     // elements

    bool is_failure() const;
};

struct test_result {
    outcome what;
    std::string implementation; // empty: none was made
    double milliseconds = 0;
    bool timed = false;
    spread descriptor_ms, primitive_ms;
    timing times; // if timed
};

struct tally {
    size_t tests = 0, passed = 0, skipped = 0, mistrusted = 0, unimplemented = 0, invalid_arguments = 0, failed = 0,
           listed = 0;
    void count(state status);
    std::string line() const;
};

class report {
public:
    explicit report(size_t jobs);

    void announce(const job &next); // before it runs
    void add(const job &j, const test_result &result);
    void finish(const phase_times &phases);

    const tally &counts() const { return counts_; }
    double seconds() const;

private:
    void show_progress(const job &next); // on stderr, if that is a terminal
    void clear_progress();
    void print_timing(const job &j, const test_result &result);
    void print_table_row(const job &j, const test_result &result);
    void print_heading_once(const std::string &perf_template);

    const size_t jobs_;
    const bool is_terminal_;
    tally counts_;
    std::vector<std::string> failures_; // the first ones
    size_t failure_count_ = 0, timed_count_ = 0;
    double least_ms_ = 0, average_ms_ = 0; // sums over what was timed
    bool heading_printed_ = false, progress_shown_ = false;
    const std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_progress_;
};

} // namespace benchdnn_lite
