// SPDX-License-Identifier: Apache-2.0
// verbose: one line per event on standard output, only when asked (JITNORM_VERBOSE or jitnorm_set_verbose).
#pragma once

#include <string_view>

namespace jitnorm::impl {

// 0 silent, 1 executions and errors, 2 also creations and refusals. The environment variable is read once.
int verbose_level();
void set_verbose_level(int level);

// "jitnorm_verbose,v1,<event>,<text>"; called only when the level asks for it.
void log_line(std::string_view event, std::string_view text);

} // namespace jitnorm::impl
