// SPDX-License-Identifier: Apache-2.0
// check: runs an execution on filled inputs, and checks every output by the oracle, or its bits in other circumstances.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../problem/execution.hpp"
#include "../stopwatch.hpp"
#include "fill.hpp"
#include "outcome.hpp"

namespace benchdnn_lite {

// Milliseconds that the parts of a run took.
struct phase_times {
    double create = 0, fill = 0, execute = 0, compare = 0;
};

// Called between execution and comparison; tests plant errors here.
using after_run = std::function<void(const execution &)>;

struct check_options {
    uint64_t seed = 1;
    after_run tamper;
    phase_times *times = nullptr; // times are added to it; null: nothing is measured
};

findings check(const execution &e, fill_kind kind, const check_options &options);

// Adds a mistake for each tensor, also inputs and the scratchpad, beside whose memory something was written.
void check_guards(const execution &e, findings &found);

// Adds the time from its construction to its destruction to one of the phases; does nothing if `times` is null.
class phase {
public:
    phase(phase_times *times, double phase_times::*which) : times_(times), which_(which) {}
    ~phase() {
        if (times_) times_->*which_ += since_.ms();
    }
    phase(const phase &) = delete;
    phase &operator=(const phase &) = delete;

private:
    phase_times *times_;
    double phase_times::*which_;
    stopwatch since_;
};

// Fills and runs `e`, then compares other executions of its problem with it. Their primitives are created and freed
// here.
findings check_bits(const execution &e, fill_kind kind, const check_options &options);

} // namespace benchdnn_lite
