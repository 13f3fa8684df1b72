// SPDX-License-Identifier: Apache-2.0
// timing: how long an execution takes, beside a memcpy of as many bytes in the same run.
#pragma once

#include "../problem/execution.hpp"
#include "../problem/mode.hpp"
#include "spread.hpp"

namespace benchdnn_lite {

struct timing {
    spread us;                                // of one execution, over all samples
    spread clocks;                            // of the processor's time stamp counter
    double input_bytes = 0, output_bytes = 0; // what the definition of the problem reads and writes
    double memcpy_us = 0;                     // median, for a copy that reads and writes as many bytes together
    bool cold = false;                        // tensors were not found in the caches

    double bytes() const { return input_bytes + output_bytes; }
    double gigabytes_per_second() const { return us.median > 0 ? bytes() / us.median / 1e3 : 0; }
    double over_memcpy() const { return memcpy_us > 0 ? us.median / memcpy_us : 0; }
};

// Blocks of executions and blocks of copies in turn, each block long enough for the clock, after one untimed call. With
// a cold cache, or a fixed number of executions, every block is a single call.
timing time(const execution &e, const run_options &options);

} // namespace benchdnn_lite
