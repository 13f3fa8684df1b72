// SPDX-License-Identifier: Apache-2.0
// Small steps of parsing that all knobs share.
#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>

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

// In lower case, without dashes in front.
std::string bare(std::string_view text) {
    std::string result(text.substr(std::min(text.find_first_not_of('-'), text.size())));
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return result;
}

// How many letters must be added, removed or replaced to turn a into b (Levenshtein 1966).
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t(0));
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = row[0]++;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t exchanged = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

bool is_last_word(std::string_view word, std::string_view text) {
    return text.size() > word.size() && text.ends_with(word) &&
           std::string_view("-_/").find(text[text.size() - word.size() - 1]) != std::string_view::npos;
}

// Other programs' words for a name of this one.
constexpr struct {
    std::string_view words, name;
} SYNONYMS[] = {
    {"half float16", "f16"},
    {"bfloat16", "bf16"},
    {"float float32", "f32"},
    {"double float64", "f64"},
    {"int8", "s8"},
    {"uint8", "u8"},
    {"fp8 float8", "f8_e5m2"},
    {"fp8 float8", "f8_e4m3"},
    {"silu", "swish"},
    {"sigmoid", "logistic"},
    {"cfg prec type dtype data-type", "dt"},
    {"layernorm layer_norm layer_normalization", "lnorm"},
};

bool are_synonyms(std::string_view word, std::string_view name) {
    const auto *found = find_named(SYNONYMS, name);
    return found != nullptr && std::ranges::count(split(found->words, ' '), word) != 0;
}

// A name is like another one if it is the beginning of that, or the reverse (the longer, the more alike),
// if few letters differ, or if one is the last word of the other.
constexpr size_t NOT_ALIKE = 1000;
size_t unlikeness(std::string_view name, std::string_view known) {
    constexpr size_t LONGEST = 64, SHORTEST_BEGINNING = 3, FARTHEST = 3;
    if (name.empty() || name.size() > LONGEST) return NOT_ALIKE;
    if (known.starts_with(name) || are_synonyms(name, known)) return 0;
    if (name.starts_with(known) && known.size() >= SHORTEST_BEGINNING) return LONGEST - known.size();
    if (const size_t steps = distance(name, known); steps <= std::min(known.size() / 2, FARTHEST))
        return LONGEST + steps;
    return is_last_word(name, known) || is_last_word(known, name) ? NOT_ALIKE / 2 : NOT_ALIKE;
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

std::string closest_text(std::string_view name, const std::vector<std::string> &known, std::string_view otherwise) {
    constexpr size_t MOST = 3;
    size_t least = NOT_ALIKE - 1, count = 0;
    std::string names;
    for (const std::string &candidate : known) {
        const size_t rank = unlikeness(bare(name), bare(candidate));
        if (rank > least) continue;
        if (rank < least) names.clear(), count = 0;
        names += concat(names.empty() ? "" : ", ", candidate);
        least = rank;
        ++count;
    }
    if (count == 0 || count > MOST) return std::string(otherwise);
    return concat(" (the closest ", count == 1 ? "is " : "are ", names, ")");
}

std::string known_text(const std::vector<std::string> &known) {
    std::string text = "; known:";
    for (const std::string &name : known) text += concat(" ", name);
    return text;
}

std::string closest_or_known(std::string_view name, const std::vector<std::string> &known) {
    return closest_text(name, known, known_text(known));
}

std::string checked_regex(std::string_view expression) {
    regex compiled((std::string(expression)));
    return std::string(expression);
}

bool has_match(const std::string &text, const std::string &expression) { return regex(expression).is_found_in(text); }

std::string to_text(float value) { return shortest_text(value); }
std::string to_text(double value) { return shortest_text(value); }

} // namespace benchdnn_lite
