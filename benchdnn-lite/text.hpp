// SPDX-License-Identifier: Apache-2.0
// text: the small parsing steps that every knob shares. All throw input_error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace benchdnn_lite {

// All parts in a row, each a string, a view or a literal.
template <typename... Parts>
std::string concat(const Parts &...parts) {
    std::string text;
    (text.append(std::string_view(parts)), ...);
    return text;
}

// "a,,b" -> "a", "", "b"; an empty text is one empty part.
std::vector<std::string> split(std::string_view text, char separator);

int64_t parse_integer(std::string_view text, int64_t lowest, int64_t highest);
float parse_float(std::string_view text);
bool parse_bool(std::string_view text); // true, false, 1, 0, in either case of letters

bool equal_but_for_case(std::string_view a, std::string_view b);

// A POSIX basic regular expression, as benchdnn takes them.
std::string checked_regex(std::string_view expression); // the same, if it is one
bool has_match(const std::string &text, const std::string &expression);

// Shortest text that parse_float reads back to the same value, without a plus: that stands between entries of a list.
std::string to_text(float value);

} // namespace benchdnn_lite
