// SPDX-License-Identifier: Apache-2.0
// run: the whole program, except main().
#pragma once

#include "../correctness/check.hpp"

namespace benchdnn_lite {

// Parses the arguments, runs the jobs and prints the reports. Returns the exit status. tamper: called after executions
// (correctness/check.hpp).
int run_command_line(int argc, char **argv, const after_run &tamper = {});

} // namespace benchdnn_lite
