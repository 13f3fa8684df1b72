// SPDX-License-Identifier: Apache-2.0
// timing: measures how long an execution takes, and how long a memcpy of as many bytes takes in the same run.
#pragma once

#include <algorithm>

#include "../problem/execution.hpp"
#include "../problem/mode.hpp"
#include "sampler.hpp"

namespace benchdnn_lite {

struct timing {
    spread us;                                // microseconds of one execution
    spread clocks;                            // ticks of the time stamp counter in one execution
    double input_bytes = 0, output_bytes = 0; // what the problem's definition reads and writes
    spread copy_us;                           // microseconds of a memcpy that reads and writes bytes() together
    bool cold = false;                        // tensors were not in the caches

    double bytes() const { return input_bytes + output_bytes; }
    double gigabytes_per_second() const { return us.median > 0 ? bytes() / us.median / 1e3 : 0; }
    // The median of the faster memcpy, by one thread or by all.
    double memcpy_us() const {
        return copy_us.one_thread > 0 ? std::min(copy_us.median, copy_us.one_thread) : copy_us.median;
    }
    double over_memcpy() const { return memcpy_us() > 0 ? us.median / memcpy_us() : 0; }
};

// Measures blocks of executions and blocks of copies in turn, after a warm-up. A block has so many calls that the clock
// is precise enough. If a call takes less than a millisecond, an untimed call precedes each block. With a cold cache or
// a fixed number of executions, every block is a single call. If there are several threads, a few blocks of both with
// one thread follow, except in fast mode. The tensors must have been filled.
timing time(const execution &e, const run_options &options);

} // namespace benchdnn_lite
