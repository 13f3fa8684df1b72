// SPDX-License-Identifier: Apache-2.0
// plan_log: asks a build of the library by its log how it goes through the rows of a problem.
#pragma once

#include <string>

#include "../problem/operation.hpp"

namespace benchdnn_lite {

// The line of the log with the plan that the session's library makes for the problem; empty if it refuses. The library
// must log at level 2. Nothing is printed: meanwhile standard output is a file in memory.
std::string logged_plan(const session &s, const problem &p);

} // namespace benchdnn_lite
