// SPDX-License-Identifier: Apache-2.0
// benchdnn-lite: checks and times layer normalization through the library's C interface (docs/benchdnn-lite.md).
#include <algorithm>
#include <cstdlib>

#include "cli/run.hpp"
#include "jitnorm/jitnorm.h"

int main(int argc, char **argv) {
    // The program reports the library's errors itself, beside the problem that caused them. The library prints none,
    // unless the user asks for them, or has set a variable in which only the library finds mistakes.
    const auto is_set = [](const char *variable) { return std::getenv(variable) != nullptr; };
    constexpr const char *OF_THE_LIBRARY[] = {"JITNORM_VERBOSE", "JITNORM_CACHES", "JITNORM_JIT_PROFILE",
                                              "JITNORM_JIT_DUMP"};
    if (std::ranges::none_of(OF_THE_LIBRARY, is_set)) jitnorm_set_verbose(0);
    return benchdnn_lite::run_command_line(argc, argv);
}
