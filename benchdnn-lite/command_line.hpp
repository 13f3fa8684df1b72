// SPDX-License-Identifier: Apache-2.0
// command_line: from arguments to the list of things to run. Everything is read before anything runs, so that a mistake
// in the last line of a batch file costs no time.
#pragma once

#include <string>
#include <vector>

#include "settings.hpp"

namespace benchdnn_lite {

struct command {
    bool help = false;
    std::vector<job> jobs;
};

// `arguments` without the program's name. Throws input_error.
command parse_command_line(const std::vector<std::string> &arguments);

std::string help_text();

} // namespace benchdnn_lite
