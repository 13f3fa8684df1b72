// SPDX-License-Identifier: Apache-2.0
// impl_filter: the value of --impl or --skip-impl: which of the library's implementations may run a problem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benchdnn_lite {

struct impl_filter {
    std::vector<std::string> parts; // parts of implementations' names; if there are none, all implementations may run
    bool skips = false;             // true: names that contain one of the parts are skipped; false: only those may run

    bool accepts(std::string_view implementation) const;
    bool operator==(const impl_filter &) const = default;
};

// Reads parts with commas between them, and removes quotes. Throws input_error.
impl_filter parse_impl_filter(std::string_view text, bool skips);
std::string to_text(const impl_filter &filter); // the whole knob, as "--impl=jit"; empty without parts

} // namespace benchdnn_lite
