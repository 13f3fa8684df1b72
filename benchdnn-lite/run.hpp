// SPDX-License-Identifier: Apache-2.0
// run: one job from its problem to its line in the report.
#pragma once

#include "check.hpp"
#include "report.hpp"

namespace benchdnn_lite {

void run(const session &s, const job &j, report &out, const after_run &tamper);

// The whole program but for main's name: parses, runs, reports; the answer is the exit status.
int run_command_line(int argc, char **argv, const after_run &tamper = {});

} // namespace benchdnn_lite
