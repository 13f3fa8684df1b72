// SPDX-License-Identifier: Apache-2.0
// text: small steps of parsing that all knobs share. The functions parse_...() and those for regular expressions throw
// input_error if the text is malformed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace benchdnn_lite {

// Joins the parts. Each is a string, a view or a literal.
template <typename... Parts>
std::string concat(const Parts &...parts) {
    std::string text;
    (text.append(std::string_view(parts)), ...);
    return text;
}

// Fills in a pattern of printf().
template <typename... Values>
std::string format(const char *pattern, Values... values) {
    std::string text(size_t(std::snprintf(nullptr, 0, pattern, values...)), ' ');
    std::snprintf(text.data(), text.size() + 1, pattern, values...);
    return text;
}

// Splits "a,,b" into "a", "" and "b". An empty text has one part, which is empty.
std::vector<std::string> split(std::string_view text, char separator);

constexpr int64_t LARGEST_INTEGER = std::numeric_limits<int64_t>::max();
// The integer must lie between `lowest` and `highest`, both included.
int64_t parse_integer(std::string_view text, int64_t lowest, int64_t highest);
float parse_float(std::string_view text);
double parse_double(std::string_view text);
bool parse_bool(std::string_view text); // true, false, 1 or 0, in upper or lower case
inline std::string_view bool_text(bool value) { return value ? "true" : "false"; }

// The entry of a table whose `name` this is; null if there is none.
template <typename Table>
auto find_named(const Table &table, std::string_view name) {
    const auto found =
        std::find_if(std::begin(table), std::end(table), [&](auto &entry) { return entry.name == name; });
    return found == std::end(table) ? nullptr : &*found;
}

// The names of the tables' entries.
template <typename... Tables>
std::vector<std::string> names_in(const Tables &...tables) {
    std::vector<std::string> names;
    const auto add = [&](const auto &table) {
        for (const auto &entry : table) names.emplace_back(entry.name);
    };
    (add(tables), ...);
    return names;
}

bool equal_but_for_case(std::string_view a, std::string_view b);

// What a message says after a name that is not known: " (the closest is flags)" with up to three of the known ones, or
// `otherwise` if none is similar.
std::string closest_text(std::string_view name, const std::vector<std::string> &known, std::string_view otherwise);
std::string known_text(const std::vector<std::string> &known);                              // "; known: f16 bf16"
std::string closest_or_known(std::string_view name, const std::vector<std::string> &known); // otherwise known_text()

// POSIX basic regular expressions, the kind that benchdnn takes. checked_regex() returns the expression if it is valid.
std::string checked_regex(std::string_view expression);
bool has_match(const std::string &text, const std::string &expression);

// The shortest text from which parse_float() or parse_double() reads the same value. An exponent has no plus sign
// (1e20), because a plus separates the entries of lists.
std::string to_text(float value);
std::string to_text(double value);

} // namespace benchdnn_lite
