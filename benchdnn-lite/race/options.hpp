// SPDX-License-Identifier: Apache-2.0
// options: the race's own knobs; everything else on its command line is benchdnn-lite's.
#pragma once

#include "../cli/command_line.hpp"
#include "race.hpp"

namespace benchdnn_lite {

struct race_options {
    std::string text; // to print instead of racing: the help, or what benchdnn-lite prints of itself; empty: none
    race_conditions conditions;
    std::string peer;       // file of another build of our library; empty: oneDNN
    std::string plan;       // caches that the peer plans for; without `peer` it is this build; empty: the machine's
    bool steps = false;     // the peer is in_steps()
    std::string json, plot; // files to write; empty: none
    std::string title;      // of the plot; empty: the contestants
    std::vector<job> jobs;
};

// Without a problem on the command line: the batch files race_forward and race_backward. Throws input_error.
race_options parse_race_options(const std::vector<std::string> &arguments);

std::string race_help();

} // namespace benchdnn_lite
