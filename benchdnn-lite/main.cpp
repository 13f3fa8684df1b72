// SPDX-License-Identifier: Apache-2.0
// benchdnn-lite: checks and times layer normalization through the library's C interface (docs/benchdnn-lite.md).
#include <cstdlib>

#include "cli/run.hpp"
#include "jitnorm/jitnorm.h"

int main(int argc, char **argv) {
    // The program reports the library's errors itself, beside the problem that caused them. The library prints none,
    // unless the user asks for them.
    if (std::getenv("JITNORM_VERBOSE") == nullptr) jitnorm_set_verbose(0);
    return benchdnn_lite::run_command_line(argc, argv);
}
