// SPDX-License-Identifier: Apache-2.0
// report: the lines on standard output, the totals, and the progress line of long runs.
#pragma once

#include <chrono>
#include <string>

#include "check.hpp"
#include "settings.hpp"
#include "timing.hpp"

namespace benchdnn_lite {

enum class state { passed, executed, skipped, failed, listed };

struct outcome {
    state status = state::passed;
    std::string reason;             // of skipped and failed
    std::vector<std::string> lines; // details of a failure
};

class report {
public:
    explicit report(size_t jobs);

    void progress(const problem &next); // on stderr, if that is a terminal
    void add(const job &j, const outcome &result, double milliseconds);
    void add_timed(const job &j, const outcome &result, const timing &t, const std::string &implementation);
    void finish();
    bool any_failed() const { return failed_ > 0; }

private:
    void count(state status);
    void clear_progress();
    void print_header_once();

    size_t jobs_, tests_ = 0, passed_ = 0, skipped_ = 0, failed_ = 0, listed_ = 0;
    bool header_printed_ = false, progress_shown_ = false, is_terminal_;
    const std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_progress_;
};

} // namespace benchdnn_lite
