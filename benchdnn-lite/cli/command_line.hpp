// SPDX-License-Identifier: Apache-2.0
// command_line: reads the arguments and makes the list of jobs to run. Everything is read and checked before anything
// runs, so that a mistake in the last line of a batch file is found at once.
#pragma once

#include <string>
#include <vector>

#include "../graph/graph_job.hpp"
#include "settings.hpp"

namespace benchdnn_lite {

struct command {
    std::string text;               // printed instead of running jobs: help or version
    std::string json;               // file to write the results to; empty: none
    summary_parts summary;          // what to print after all tests
    std::string warning;            // which knobs apply to nothing; empty: none
    job_list jobs;                  // of the driver --lnorm
    std::vector<graph_job> graphs;  // of the driver --graph
    std::vector<std::string> notes; // lines to print first: the batch files used, with -v50
};

// arguments: without the program's name. Throws input_error.
command parse_command_line(const std::vector<std::string> &arguments);

} // namespace benchdnn_lite
