// SPDX-License-Identifier: Apache-2.0
// performance: the lines that a timed layer normalization prints.
#pragma once

#include "perf_template.hpp"
#include "report.hpp"

namespace benchdnn_lite {

// The result of a job of the driver --lnorm.
struct lnorm_result : test_result {
    bool timed = false;
    spread descriptor_ms, primitive_ms; // how long it took to create them
    timing times;                       // if timed
};

// index: the test's number. There are no lines if nothing was timed.
timed_lines performance_of(const job &j, const lnorm_result &result, size_t index);

} // namespace benchdnn_lite
