// SPDX-License-Identifier: Apache-2.0
// knobs: the table of options, one row each: what it is called, what it takes, what it does.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "settings.hpp"

namespace benchdnn_lite {

struct knob_state {
    settings driver;
    run_options options;
    bool help = false;
};

struct knob {
    std::string_view name;   // without the dashes
    std::string_view values; // what it takes, for the help; empty: it takes no value
    std::string_view help;
    void (*set)(knob_state &state, std::string_view value); // throws input_error
};

std::span<const knob> knobs();
const knob *find_knob(std::string_view name);

} // namespace benchdnn_lite
