// SPDX-License-Identifier: Apache-2.0
// exit_status: turns the end of a program into its exit status.
#pragma once

#include <functional>

namespace benchdnn_lite {

// Calls `body` and returns its result, the exit status. It is 2 instead if `body` throws input_error, and 1 if it
// throws another exception. It is also 1 if `body` returns 0 but not all output could be written, because the disk is
// full or the output is closed. In each of these cases one line on stderr says why.
int exit_status_of(const char *program, const std::function<int()> &body);

} // namespace benchdnn_lite
