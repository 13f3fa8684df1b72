// SPDX-License-Identifier: Apache-2.0
// benchdnn-lite: checks and times layer normalization through the library's C interface (docs/benchdnn-lite.md).
#include "cli/run.hpp"

int main(int argc, char **argv) { return benchdnn_lite::run_command_line(argc, argv); }
