// SPDX-License-Identifier: Apache-2.0
// performance: the line that a timed problem prints, as benchdnn's --perf-template describes it.
//
// Text is printed as it is, and %[-|0|+][K|M|G]NAME% is replaced by a value. The first character chooses the minimum
// (-), the average (0) or the maximum (+) of several measurements; the default is the minimum, for times of creation
// the maximum. The letter divides the value by 1e3, 1e6 or 1e9.
#pragma once

#include "../timing/timing.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace benchdnn_lite {

// Reads def, csv, table or a template; an empty text means def. def and csv give the templates that they stand for.
// Throws input_error for an unknown placeholder.
std::string parse_perf_template(std::string_view text);

// The result of a job of the driver --lnorm.
struct lnorm_result : test_result {
    bool timed = false;
    spread descriptor_ms, primitive_ms; // two creations; the first one fills the kernel cache
    timing times;                       // if timed
};

// index: the test's number. There are no lines if nothing was timed.
timed_lines performance_of(const job &j, const lnorm_result &result, size_t index);

} // namespace benchdnn_lite
