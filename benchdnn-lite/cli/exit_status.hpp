// SPDX-License-Identifier: Apache-2.0
// exit_status: how a program ends.
#pragma once

#include <functional>

namespace benchdnn_lite {

// What `body` answers; 2 after a mistake of the user's, 1 after any other error. Where nothing went wrong but what was
// printed could not all be written, on a full disk or a closed output: 1. Each is told in one line on stderr.
int exit_status_of(const char *program, const std::function<int()> &body);

} // namespace benchdnn_lite
