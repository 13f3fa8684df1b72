// SPDX-License-Identifier: Apache-2.0
// Scripts that complete the command line.
#include "completion.hpp"

#include "../text.hpp"
#include "knobs.hpp"

namespace benchdnn_lite {

namespace {

// A list goes on after each comma: what is complete already stays in front of every offer.
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

// What is in no table: the drivers, and what the driver of graphs has for itself.
struct driver_option {
    std::string_view name, help, zsh_action;
};

constexpr driver_option DRIVER_OPTIONS[] = {
    {"--lnorm", "layer normalizations", ""},
    {"--graph", "graphs of layer normalizations", ""},
    {"--case=", "a serialized graph to run", ":file:_files"},
    {"--in-shapes=", "other shapes of the graph's inputs", ":value: "},
    {"--op-attrs=", "other attributes of the graph's operations", ":value: "},
    {"--expected-n-partitions=", "how many partitions the graph must give", ":value: "},
};

std::string knob_names() {
    std::string names;
    for (const driver_option &o : DRIVER_OPTIONS) names += concat(o.name, " ");
    names.pop_back();
    for (const knob &k : knobs()) names += concat(" --", k.name, k.example.empty() ? "" : "=");
    return names;
}

std::string cases() {
    std::string text = "    --case) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n";
    for (const knob &k : knobs()) {
        if (k.choices.empty()) continue;
        const std::string offer = k.choices == "FILE" ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                                                      : concat("_benchdnn_lite_values \"$word\" '", k.choices, "'");
        text += concat("    --", k.name, ") ", offer, " ;;\n");
    }
    return text + "    esac\n}\n";
}

std::string bash() {
    return concat("_benchdnn_lite_knobs='", knob_names(), "'\n", FUNCTIONS, cases(),
                  "\ncomplete -F _benchdnn_lite benchdnn-lite\n");
}

// For a single-quoted argument of zsh's _arguments: \ before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
    std::string result;
    for (const char c : text) {
        if (special.find(c) != special.npos) result += '\\';
        result += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return result;
}

std::string zsh() {
    std::string text = "_arguments";
    for (const driver_option &o : DRIVER_OPTIONS)
        text += concat(" \\\n    '*", o.name, "[", escaped(o.help, "[]"), "]", o.zsh_action, "'");
    for (const knob &k : knobs()) {
        text += concat(" \\\n    '*--", k.name, k.example.empty() ? "" : "=", "[", escaped(k.help, "[]"), "]");
        if (k.choices == "FILE")
            text += ":file:_files";
        else if (!k.choices.empty())
            text += concat(":value:_sequence compadd - ", escaped(k.choices, ":"));
        else if (!k.example.empty())
            text += ":value: ";
        text += "'";
    }
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
