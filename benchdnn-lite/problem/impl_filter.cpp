// SPDX-License-Identifier: Apache-2.0
// Reads, writes and applies the values of --impl and --skip-impl.
#include "impl_filter.hpp"

#include <algorithm>
#include <cctype>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

bool is_quote(char c) { return c == '"' || c == '\''; }

// In quotes if some characters are neither letters, digits, _ nor :. Then a batch file takes the text for one word.
std::string quoted_if_odd(const std::string &part) {
    const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; };
    return std::all_of(part.begin(), part.end(), plain) ? part : concat("\"", part, "\"");
}

} // namespace

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
        if (std::erase_if(part, is_quote) % 2 == 1) throw input_error("the quotes in '", text, "' do not match");
        if (!part.empty()) filter.parts.push_back(std::move(part));
    }
    return filter.parts.empty() ? impl_filter{} : filter;
}

std::string to_text(const impl_filter &filter) {
    std::string text;
    for (const std::string &part : filter.parts)
        text += concat(!text.empty() ? "," : filter.skips ? "--skip-impl=" : "--impl=", quoted_if_odd(part));
    return text;
}

} // namespace benchdnn_lite
