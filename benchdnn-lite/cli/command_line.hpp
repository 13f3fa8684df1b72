// SPDX-License-Identifier: Apache-2.0
// command_line: from arguments to the list of things to run. Everything is read before anything runs, so that a mistake
// in the last line of a batch file costs no time.
#pragma once

#include <string>
#include <vector>

#include "../graph/graph_job.hpp"
#include "settings.hpp"

namespace benchdnn_lite {

struct command {
    std::string text;               // to print instead of running anything: help, the manual page or a completion
    std::string json;               // file to write the results to; empty: none
    std::vector<job> jobs;          // of the driver --lnorm
    std::vector<graph_job> graphs;  // of the driver --graph
    std::vector<std::string> notes; // for who asked with -v50: batch files used
};

// `arguments` without the program's name. Throws input_error.
command parse_command_line(const std::vector<std::string> &arguments);

} // namespace benchdnn_lite
