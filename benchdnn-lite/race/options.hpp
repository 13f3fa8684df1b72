// SPDX-License-Identifier: Apache-2.0
// options: the knobs that only the race has. Everything else on its command line means what it means for benchdnn-lite.
#pragma once

#include "../cli/command_line.hpp"
#include "race.hpp"

namespace benchdnn_lite {

struct race_options {
    // Printed instead of racing: the help, or a text of benchdnn-lite. Empty: the race begins.
    std::string text;
    race_conditions conditions;
    std::string peer; // file of another build of our library; empty: oneDNN
    // Sizes of caches that the peer plans for; empty: those of the machine. If `peer` is empty, a plan makes this build
    // the peer.
    std::string plan;
    bool plain = false; // the plain loop is the peer
    std::string json;   // file to write; empty: none
    job_list jobs;
};

// Parses the command line. If it has no problem, the batch files race_forward and race_backward are raced. Throws
// input_error.
race_options parse_race_options(const std::vector<std::string> &arguments);

std::string race_help();

} // namespace benchdnn_lite
