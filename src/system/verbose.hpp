// SPDX-License-Identifier: Apache-2.0
// verbose: one line per event on standard output: errors, and what JITNORM_VERBOSE or jitnorm_set_verbose asks for.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

namespace jitnorm::impl {

constexpr int VERBOSE_LEVEL_NOT_READ = -2;
constexpr int VERBOSE_NOTHING = -1;
constexpr int VERBOSE_ERRORS = 0; // where nobody said anything
extern std::atomic<int> verbose_level_if_read;
int read_verbose_level();

// 1 executions, errors and fallbacks; 2 also creations and refusals. The environment variable is read once.
inline int verbose_level() {
    const int level = verbose_level_if_read.load(std::memory_order_relaxed);
    return level != VERBOSE_LEVEL_NOT_READ ? level : read_verbose_level();
}
void set_verbose_level(int level);

// "jitnorm_verbose,v1,<event>,<text>"; called only when the level asks for it.
void log_line(std::string_view event, std::string_view text);

// As the log has them.
std::string milliseconds_since(std::chrono::steady_clock::time_point start);

} // namespace jitnorm::impl
