// SPDX-License-Identifier: Apache-2.0
// Reads and writes the values of --mode and --mode-modifier.
#include "mode.hpp"

#include <cctype>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

struct named_mode {
    bool run_mode::*member;
    char letter;
    bool stands_alone;
};

constexpr named_mode MODES[] = {
    {&run_mode::list, 'L', true},   {&run_mode::init, 'I', true},     {&run_mode::run, 'R', true},
    {&run_mode::check, 'C', false}, {&run_mode::bitwise, 'B', false}, {&run_mode::time, 'P', false},
    {&run_mode::fast, 'F', false},
};

struct named_modifier {
    char letter;
    bool mode_modifiers::*member;
};

constexpr named_modifier MODIFIERS[] = {{'P', &mode_modifiers::parallel_creation}, {'M', &mode_modifiers::no_filling}};

template <typename Table>
const auto *find_letter(const Table &table, char letter) {
    for (const auto &entry : table)
        if (entry.letter == std::toupper(static_cast<unsigned char>(letter))) return &entry;
    return static_cast<decltype(&table[0])>(nullptr);
}

} // namespace

run_mode parse_mode(std::string_view text) {
    run_mode mode;
    mode.check = false;
    for (const char letter : text) {
        const named_mode *named = find_letter(MODES, letter);
        if (!named) throw input_error("mode '", text, "' has a letter that is none of L, I, R, C, B, P, F");
        if (named->stands_alone && text.size() > 1)
            throw input_error("mode '", text, "': ", std::string(1, named->letter), " stands alone");
        mode.*named->member = true;
    }
    if (mode.fast) mode.time = true;
    return mode;
}

std::string to_text(const run_mode &mode) {
    std::string text;
    for (const named_mode &named : MODES)
        if (mode.*named.member && !(mode.fast && named.letter == 'P')) text += named.letter;
    return text;
}

mode_modifiers parse_mode_modifiers(std::string_view text) {
    mode_modifiers modifiers;
    for (const char letter : text) {
        const named_modifier *named = find_letter(MODIFIERS, letter);
        if (!named) throw input_error("modifier '", std::string(1, letter), "' is neither P nor M");
        modifiers.*named->member = true;
    }
    return modifiers;
}

std::string to_text(const mode_modifiers &modifiers) {
    std::string text;
    for (const named_modifier &named : MODIFIERS)
        if (modifiers.*named.member) text += named.letter;
    return text;
}

} // namespace benchdnn_lite
