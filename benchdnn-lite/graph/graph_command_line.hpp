// SPDX-License-Identifier: Apache-2.0
// graph_command_line: the driver --graph: its knobs, the cases it runs, what it prints.
#pragma once

namespace benchdnn_lite {

bool asks_for_graph(int argc, char **argv); // --graph is among the arguments

// Parses, runs, reports; the answer is the exit status.
int run_graph_command_line(int argc, char **argv);

} // namespace benchdnn_lite
