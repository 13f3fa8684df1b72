// SPDX-License-Identifier: Apache-2.0
// run_race: the whole program. It has the knobs of benchdnn-lite, with the same meaning, and some of its own.
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
    bool plain = false;  // the plain loops are the peers
    std::string warning; // of the command line; empty: none
    std::string json;    // file to write; empty: none
    job_list jobs;
};

// Parses the command line. If it has no problem, the batch files race_forward and race_backward are raced. Throws
// input_error.
race_options parse_race_options(const std::vector<std::string> &arguments);

std::string race_help();

// Returns the exit status. The peer is `other` unless --peer, --plan or --plain chooses another.
int run_race(int argc, char **argv, const peer_library &other);

} // namespace benchdnn_lite
