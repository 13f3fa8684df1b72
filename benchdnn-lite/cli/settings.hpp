// SPDX-License-Identifier: Apache-2.0
// settings: the values that the knobs of the driver --lnorm set. Most are lists. Each shape on the command line makes
// one job for every combination of their values.
#pragma once

#include <memory>
#include <vector>

#include "../problem/mode.hpp"
#include "../problem/problem.hpp"

namespace benchdnn_lite {

// --reset restores these defaults.
struct settings {
    // The values of each of problem_knobs(). An empty list leaves the problem's default.
    std::vector<std::vector<problem_setter>> lists{problem_knobs().size()};
    impl_filter filter;
    std::string match; // a POSIX basic regular expression; empty: every problem
};

// A problem, and what to do with it.
struct job {
    problem prb;
    run_options options;

    // The arguments, without the program's name, that run this problem again.
    std::string line() const;
};

// The settings and options that a problem of the command line has.
struct job_settings {
    settings lists;
    run_options options;
};

// The jobs of a command line. A job is made when it is asked for: the list itself keeps what makes the jobs, which
// takes little memory however many jobs there are.
class job_list {
public:
    // Appends the jobs for one shape, `options.repeats` times each. The first of problem_knobs() varies slowest, and
    // the last fastest, except for --inplace, which varies fastest of all.
    // Problems whose line does not have `match` are left out. Throws input_error if a tag does not fit the shape, if a
    // knob does not fit the direction, or if there are too many jobs.
    void append(std::shared_ptr<const job_settings> from, const shape &size);

    size_t size() const { return groups_.empty() ? 0 : groups_.back().end; }
    bool empty() const { return groups_.empty(); }
    job operator[](size_t number) const; // number < size()
    const run_options &options_of(size_t number) const { return group_of(number).from->options; }

private:
    // The jobs for one shape.
    struct group {
        std::shared_ptr<const job_settings> from;
        shape size;
        std::vector<uint32_t> chosen; // numbers of the combinations that `match` keeps; empty: all
        size_t end;                   // the number of the job after the group's last one
    };
    const group &group_of(size_t number) const;

    std::vector<group> groups_;
};

} // namespace benchdnn_lite
