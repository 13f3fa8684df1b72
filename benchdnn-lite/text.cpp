// SPDX-License-Identifier: Apache-2.0
// The small parsing steps that every knob shares.
#include "text.hpp"

#include <charconv>
#include <cmath>

#include "error.hpp"

namespace benchdnn_lite {

namespace {

template <typename T>
bool parse_whole(std::string_view text, T &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

std::string quoted(std::string_view text) { return concat("'", text, "'"); }

} // namespace

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (;;) {
        const size_t at = text.find(separator);
        parts.emplace_back(text.substr(0, at));
        if (at == text.npos) return parts;
        text.remove_prefix(at + 1);
    }
}

int64_t parse_integer(std::string_view text, int64_t lowest, int64_t highest) {
    int64_t value = 0;
    if (!parse_whole(text, value)) throw input_error(quoted(text), " is not an integer");
    if (value < lowest || value > highest)
        throw input_error(quoted(text), " is not between ", std::to_string(lowest), " and ", std::to_string(highest));
    return value;
}

float parse_float(std::string_view text) {
    float value = 0;
    if (!parse_whole(text, value) || !std::isfinite(value)) throw input_error(quoted(text), " is not a number");
    return value;
}

bool parse_bool(std::string_view text) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    throw input_error(quoted(text), " is neither true nor false");
}

std::string to_text(float value) {
    char buffer[32];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

} // namespace benchdnn_lite
