// SPDX-License-Identifier: Apache-2.0
// Writes scripts that complete the command line.
#include "completion.hpp"

#include <algorithm>

#include "../text.hpp"
#include "batch_file.hpp"
#include "knobs.hpp"

namespace benchdnn_lite {

namespace {

// In a comma-separated list, bash replaces the whole value. So each offer begins with the values that are complete.
constexpr std::string_view FUNCTIONS = R"(
_benchdnn_lite_values() {
    local value=$1 choices=$2 done=
    case $value in *,*) done=${value%,*}, ;; esac
    COMPREPLY=($(compgen -P "$done" -W "$choices" -- "${value##*,}"))
    compopt -o nospace 2>/dev/null
}

_benchdnn_lite() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} knob=
    COMPREPLY=()
    if [ "$word" = = ]; then
        knob=$previous word=
    elif [ "$previous" = = ]; then
        knob=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case $knob in
    '')
        COMPREPLY=($(compgen -W "$_benchdnn_lite_knobs" -- "$word"))
        case ${COMPREPLY[*]} in *=) compopt -o nospace 2>/dev/null ;; esac
        ;;
)";

// The knobs of all drivers. If several have the same name, the first one stands for all.
std::vector<knob> all_knobs() {
    std::vector<knob> all = knobs_of(driver::lnorm);
    for (const knob &k : knobs_of(driver::graph))
        if (std::none_of(all.begin(), all.end(), [&](const knob &other) { return other.name == k.name; }))
            all.push_back(k);
    return all;
}

bool takes_file(const knob &k) { return k.choices == ANY_FILE || k.choices == BATCH_FILE || k.choices == CASE_FILE; }

// The names of the input files that come with the program, with a space before each; empty for ANY_FILE.
std::string shipped_for(const knob &k) {
    std::string names;
    if (k.choices != ANY_FILE)
        for (const std::string &name : k.choices == BATCH_FILE ? shipped_batches() : shipped_graphs())
            names += concat(" ", name);
    return names;
}

std::string knob_names() {
    std::string names = "--lnorm --graph";
    for (const knob &k : all_knobs()) names += concat(" --", k.name, k.example.empty() ? "" : "=");
    return names;
}

std::string bash_offer(const knob &k) {
    if (!takes_file(k)) return concat("_benchdnn_lite_values \"$word\" '", k.choices, "'");
    return concat("COMPREPLY=($(compgen -f -- \"$word\") $(compgen -W '", shipped_for(k), "' -- \"$word\"))");
}

std::string cases() {
    std::string text;
    for (const knob &k : all_knobs())
        if (!k.choices.empty()) text += concat("    --", k.name, ") ", bash_offer(k), " ;;\n");
    return text + "    esac\n}\n";
}

std::string bash() {
    return concat("_benchdnn_lite_knobs='", knob_names(), "'\n", FUNCTIONS, cases(),
                  "\ncomplete -F _benchdnn_lite benchdnn-lite\n");
}

// The text as part of a single-quoted argument of zsh's _arguments, with a \ before each character of `special`.
std::string escaped(std::string_view text, std::string_view special) {
    std::string result;
    for (const char c : text) {
        if (special.find(c) != special.npos) result += '\\';
        result += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return result;
}

std::string zsh_action(const knob &k) {
    const std::string shipped = takes_file(k) ? shipped_for(k) : "";
    if (!shipped.empty()) return concat(":file:{_files; compadd -", shipped, "}");
    if (takes_file(k)) return ":file:_files";
    if (!k.choices.empty()) return concat(":value:_sequence compadd - ", escaped(k.choices, ":"));
    return k.example.empty() ? "" : ":value: ";
}

std::string zsh() {
    std::string text = "_arguments \\\n    '*--lnorm[layer normalizations]' \\\n"
                       "    '*--graph[graphs of layer normalizations]'";
    for (const knob &k : all_knobs())
        text += concat(" \\\n    '*--", k.name, k.example.empty() ? "" : "=", "[", escaped(k.help, "[]"), "]",
                       zsh_action(k), "'");
    return text + " \\\n    '*:problem: '\n";
}

} // namespace

std::string completion_for(std::string_view shell) {
    constexpr std::string_view NOTICE = "# SPDX-License-Identifier: Apache-2.0\n";
    const std::string origin =
        concat("# Completion of benchdnn-lite for ", shell, ", written by `benchdnn-lite --completion=", shell, "`.\n");
    return shell == "bash" ? concat(NOTICE, origin, bash()) : concat("#compdef benchdnn-lite\n", NOTICE, origin, zsh());
}

} // namespace benchdnn_lite
