// SPDX-License-Identifier: Apache-2.0
// perf_template: the line that a timed problem prints, as benchdnn's --perf-template describes it.
//
// Text is printed as it is; %[-|0|+][K|M|G]NAME% is replaced. The first letter asks for the minimum (-, the default),
// the average (0) or the maximum (+) of the times, the second divides by 1e3, 1e6 or 1e9.
#pragma once

#include "../timing/timing.hpp"
#include "settings.hpp"

namespace benchdnn_lite {

struct perf_values {
    const job &what;
    size_t index; // of the test
    std::string implementation;
    spread descriptor_ms, primitive_ms; // creations; the first one fills the kernel cache
    timing times;
};

inline constexpr std::string_view TABLE_TEMPLATE = "table"; // our own columns, not a template (performance.cpp)

// def, csv, table or a template; empty: def. Expands the first two and throws input_error for an unknown placeholder.
std::string parse_perf_template(std::string_view text);
std::string default_perf_template();

std::string fill_in(std::string_view perf_template, const perf_values &values);

} // namespace benchdnn_lite
