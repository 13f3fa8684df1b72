// SPDX-License-Identifier: Apache-2.0
// Reads and writes the values of --mode, --mode-modifier and --cold-cache.
#include "mode.hpp"

#include <cctype>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

template <typename Set>
struct lettered {
    bool Set::*member;
    char letter;
    bool stands_alone = false;
};

constexpr lettered<run_mode> MODES[] = {
    {&run_mode::list, 'L', true}, {&run_mode::init, 'I', true}, {&run_mode::run, 'R', true}, {&run_mode::check, 'C'},
    {&run_mode::bitwise, 'B'},    {&run_mode::time, 'P'},       {&run_mode::fast, 'F'},
};

constexpr lettered<mode_modifiers> MODIFIERS[] = {{&mode_modifiers::parallel_creation, 'P'},
                                                  {&mode_modifiers::no_filling, 'M'}};

template <typename Table>
const auto *find_letter(const Table &table, char letter) {
    for (const auto &entry : table)
        if (entry.letter == std::toupper(static_cast<unsigned char>(letter))) return &entry;
    return static_cast<decltype(&table[0])>(nullptr);
}

using arguments = cold_cache_mode::arguments;

constexpr size_t MEGABYTE = size_t(1) << 20, GIGABYTE = size_t(1) << 30;
constexpr float MAX_GIGABYTES = 1024;

arguments parse_arguments(std::string_view text) {
    if (text == "none") return arguments::none;
    if (text == "wei" || text == "weights") return arguments::weights;
    if (text == "all") return arguments::all;
    throw input_error("'", text, "' is none of none, wei, all");
}

size_t parse_size(std::string_view text) {
    const char unit = text.empty() ? ' ' : char(std::toupper(static_cast<unsigned char>(text.back())));
    if (unit != 'M' && unit != 'G') throw input_error("size '", text, "' does not end in M or G");
    const float number = parse_float(text.substr(0, text.size() - 1));
    const size_t factor = unit == 'M' ? MEGABYTE : GIGABYTE;
    if (!(number > 0) || number * (unit == 'M' ? 1.f / 1024 : 1.f) > MAX_GIGABYTES)
        throw input_error("size '", text, "' is not between 0 and 1024G");
    return size_t(double(number) * double(factor));
}

size_t parse_tlb(std::string_view text) {
    if (text == "tlb") return GIGABYTE;
    if (!text.starts_with("tlb:")) throw input_error("extension '", text, "' is not of the form tlb[:SIZE]");
    return parse_size(text.substr(4));
}

} // namespace

run_mode parse_mode(std::string_view text) {
    run_mode mode;
    mode.check = false;
    for (const char letter : text) {
        const auto *named = find_letter(MODES, letter);
        if (!named)
            throw input_error(
                "mode '", text,
                "' has a letter that is none of L list, I init, R run, C check, B bitwise, P performance, F fast");
        if (named->stands_alone && text.size() > 1)
            throw input_error("mode '", text, "': ", std::string(1, named->letter),
                              " cannot be combined with other letters");
        mode.*named->member = true;
    }
    if (mode.fast) mode.time = true;
    return mode;
}

std::string to_text(const run_mode &mode) {
    std::string text;
    for (const auto &named : MODES)
        if (mode.*named.member && !(mode.fast && named.letter == 'P')) text += named.letter;
    return text;
}

mode_modifiers parse_mode_modifiers(std::string_view text) {
    mode_modifiers modifiers;
    for (const char letter : text) {
        const auto *named = find_letter(MODIFIERS, letter);
        if (!named) throw input_error("modifier '", std::string(1, letter), "' is neither P nor M");
        modifiers.*named->member = true;
    }
    return modifiers;
}

std::string to_text(const mode_modifiers &modifiers) {
    std::string text;
    for (const auto &named : MODIFIERS)
        if (modifiers.*named.member) text += named.letter;
    return text;
}

summary_parts parse_summary(std::string_view text) {
    struct named_part {
        std::string_view name;
        bool summary_parts::*member;
    };
    constexpr named_part PARTS[] = {{"failures", &summary_parts::failures},
                                    {"impl", &summary_parts::implementations},
                                    {"impl-csv", &summary_parts::implementations_csv}};
    summary_parts summary;
    if (text.empty()) return summary;
    for (const std::string &word : split(text, '+')) {
        const bool shown = !word.starts_with("no-");
        const auto *part = find_named(PARTS, shown ? word : word.substr(3));
        if (!part) throw input_error("'", word, "' is none of failures, impl, impl-csv, nor one of these after no-");
        summary.*part->member = shown;
    }
    return summary;
}

cold_cache_mode parse_cold_cache(std::string_view text) {
    const std::vector<std::string> parts = split(text, '+');
    cold_cache_mode mode{parse_arguments(parts[0]), 0};
    if (parts.size() > 2) throw input_error("'", text, "' has more than one extension");
    if (parts.size() == 1) return mode;
    if (mode.cold == arguments::none) throw input_error("nothing is cold, so there is nothing to extend");
    mode.tlb_bytes = parse_tlb(parts[1]);
    return mode;
}

std::string to_text(const cold_cache_mode &mode) {
    std::string text = mode.cold == arguments::none ? "none" : mode.cold == arguments::all ? "all" : "wei";
    if (mode.tlb_bytes > 0) text += concat("+tlb:", to_text(float(mode.tlb_bytes) / float(MEGABYTE)), "M");
    return text;
}

} // namespace benchdnn_lite
