// SPDX-License-Identifier: Apache-2.0
// timing: how long an execution takes, beside a memcpy of as many bytes in the same run.
#pragma once

#include "execution.hpp"
#include "settings.hpp"

namespace benchdnn_lite {

struct timing {
    double median_us, min_us;
    double bytes;     // what the definition of the problem reads and writes
    double memcpy_us; // median, for a copy that reads and writes as many bytes together
    double gigabytes_per_second() const { return bytes / median_us / 1e3; }
    double over_memcpy() const { return median_us / memcpy_us; }
};

// Bytes of the elements of every input and output, each once: src is read twice or more by some methods, and padding
// is touched, but neither is the problem's due.
double bytes_of(const execution &e);

// Blocks of executions and blocks of copies in turn, each block long enough for the clock, after one untimed call.
timing time(const execution &e, const run_options &options);

int thread_count();

} // namespace benchdnn_lite
