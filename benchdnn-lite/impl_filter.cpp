// SPDX-License-Identifier: Apache-2.0
// --impl and --skip-impl.
#include "impl_filter.hpp"

#include <algorithm>

#include "text.hpp"

namespace benchdnn_lite {

bool impl_filter::accepts(std::string_view implementation) const {
    if (parts.empty()) return true;
    const bool found = std::any_of(parts.begin(), parts.end(), [&](const std::string &part) {
        return implementation.find(part) != implementation.npos;
    });
    return found != skips;
}

impl_filter parse_impl_filter(std::string_view text, bool skips) {
    impl_filter filter;
    if (text.empty()) return filter;
    filter.skips = skips;
    for (std::string &part : split(text, ',')) {
        std::erase_if(part, [](char c) { return c == '"' || c == '\''; });
        if (!part.empty()) filter.parts.push_back(std::move(part));
    }
    return filter.parts.empty() ? impl_filter{} : filter;
}

std::string to_text(const impl_filter &filter) {
    std::string text;
    for (const std::string &part : filter.parts)
        text += concat(!text.empty() ? "," : filter.skips ? "--skip-impl=" : "--impl=", part);
    return text;
}

} // namespace benchdnn_lite
