// SPDX-License-Identifier: Apache-2.0
// perf_template: the line that a timed problem prints, as benchdnn's --perf-template describes it.
//
// Text is printed as it is, and %[-|0|+][K|M|G]NAME% is replaced by a value. The first character chooses the minimum
// (-), the average (0) or the maximum (+) of several measurements; the default is the minimum, for times of creation
// the maximum. The letter divides the value by 1e3, 1e6 or 1e9.
#pragma once

#include "../timing/timing.hpp"
#include "settings.hpp"

namespace benchdnn_lite {

struct perf_values {
    const job &what;
    size_t index; // the test's number
    std::string implementation;
    spread descriptor_ms, primitive_ms; // two creations; the first one fills the kernel cache
    timing times;
};

inline constexpr std::string_view TABLE_TEMPLATE = "table"; // a table with columns of our own (performance.cpp)

// Reads def, csv, table or a template; an empty text means def. def and csv give the templates that they stand for.
// Throws input_error for an unknown placeholder.
std::string parse_perf_template(std::string_view text);
std::string default_perf_template();

std::string fill_in(std::string_view perf_template, const perf_values &values);

} // namespace benchdnn_lite
