// SPDX-License-Identifier: Apache-2.0
// benchdnn-lite: checks and times layer normalization through the library's C interface (docs/benchdnn-lite.md).
#include "cli/run.hpp"
#include "graph/graph_command_line.hpp"

int main(int argc, char **argv) {
    return benchdnn_lite::asks_for_graph(argc, argv) ? benchdnn_lite::run_graph_command_line(argc, argv)
                                                     : benchdnn_lite::run_command_line(argc, argv);
}
