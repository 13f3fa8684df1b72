// SPDX-License-Identifier: Apache-2.0
// run: the whole program but for main's name.
#pragma once

#include "../correctness/check.hpp"

namespace benchdnn_lite {

// Parses, runs, reports; the answer is the exit status.
int run_command_line(int argc, char **argv, const after_run &tamper = {});

} // namespace benchdnn_lite
