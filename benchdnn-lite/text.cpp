// SPDX-License-Identifier: Apache-2.0
// Small steps of parsing that all knobs share.
#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <regex.h>

#include "error.hpp"

namespace benchdnn_lite {

namespace {

enum class parsed { value, nothing, out_of_range };

template <typename T>
parsed parse_whole(std::string_view text, T &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return parsed::nothing;
    return error == std::errc() ? parsed::value : parsed::out_of_range;
}

std::string quoted(std::string_view text) { return concat("'", text, "'"); }

template <typename Real>
Real parse_real(std::string_view text, const char *type) {
    Real value = 0;
    const parsed what = parse_whole(text, value);
    if (what == parsed::out_of_range) throw input_error(quoted(text), " is beyond the numbers of ", type);
    if (what == parsed::nothing || !std::isfinite(value)) throw input_error(quoted(text), " is not a number");
    return value;
}

template <typename Real>
std::string shortest_text(Real value) {
    char buffer[32];
    std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
    std::erase(text, '+');
    return text;
}

class regex {
public:
    explicit regex(const std::string &expression) {
        const int problem = regcomp(&compiled_, expression.c_str(), REG_NOSUB);
        if (problem == 0) return;
        char reason[128];
        regerror(problem, &compiled_, reason, sizeof reason);
        throw input_error(quoted(expression), " is not a regular expression: ", reason);
    }
    ~regex() { regfree(&compiled_); }
    regex(const regex &) = delete;
    regex &operator=(const regex &) = delete;

    bool is_found_in(const std::string &text) const { return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0; }

private:
    regex_t compiled_{};
};

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
    const parsed what = parse_whole(text, value);
    if (what == parsed::nothing) throw input_error(quoted(text), " is not an integer");
    if (what == parsed::out_of_range || value < lowest || value > highest)
        throw input_error(quoted(text), " is not between ", std::to_string(lowest), " and ", std::to_string(highest));
    return value;
}

float parse_float(std::string_view text) { return parse_real<float>(text, "f32"); }
double parse_double(std::string_view text) { return parse_real<double>(text, "f64"); }

bool parse_bool(std::string_view text) {
    if (equal_but_for_case(text, "true") || text == "1") return true;
    if (equal_but_for_case(text, "false") || text == "0") return false;
    throw input_error(quoted(text), " is neither true nor false");
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string checked_regex(std::string_view expression) {
    regex compiled((std::string(expression)));
    return std::string(expression);
}

bool has_match(const std::string &text, const std::string &expression) { return regex(expression).is_found_in(text); }

std::string to_text(float value) { return shortest_text(value); }
std::string to_text(double value) { return shortest_text(value); }

} // namespace benchdnn_lite
