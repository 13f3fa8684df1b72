// SPDX-License-Identifier: Apache-2.0
// impl_filter: --impl and --skip-impl, which of the library's implementations a problem may run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benchdnn_lite {

struct impl_filter {
    std::vector<std::string> parts; // of implementations' names; none: every implementation
    bool skips = false;             // what contains one of the parts is skipped, else everything but that

    bool accepts(std::string_view implementation) const;
    bool operator==(const impl_filter &) const = default;
};

// Comma-separated; quotes are taken off. Throws input_error.
impl_filter parse_impl_filter(std::string_view text, bool skips);
std::string to_text(const impl_filter &filter); // "--impl=jit", empty if there is none

} // namespace benchdnn_lite
