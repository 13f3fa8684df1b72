// SPDX-License-Identifier: Apache-2.0
// knobs: the table of options, one row each: how it is called, an example, what it means, what it does. Parser, help
// and shell completion all live on it.
#pragma once

#include <span>
#include <string_view>

#include "settings.hpp"

namespace benchdnn_lite {

struct knob_state {
    settings driver;
    run_options options;
    std::string json;       // file for machines; empty: none
    std::string completion; // shell to write a completion for; empty: none
    std::string batch;      // file to read next; the parser takes it away
    bool help = false;
};

struct knob {
    std::string_view name;    // without the dashes
    std::string_view example; // of a value; empty: it takes none
    std::string_view help;    // at most 53 columns
    std::string_view choices; // values that completion offers, separated by spaces; "FILE": names of files
    void (*set)(knob_state &state, std::string_view value); // an empty value is the default; throws input_error
};

std::span<const knob> knobs();
const knob *find_knob(std::string_view name);
std::string_view closest_knob(std::string_view name); // empty if none is near

} // namespace benchdnn_lite
