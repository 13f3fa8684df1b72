// SPDX-License-Identifier: Apache-2.0
// verbose: the log, one line for each event. JITNORM_VERBOSE or jitnorm_set_verbose() says which events are logged, on
// standard output. If neither does, errors are, on standard error.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <new>
#include <string>
#include <string_view>

namespace jitnorm::impl {

constexpr int VERBOSE_LEVEL_NOT_READ = -2;
constexpr int VERBOSE_NOTHING = -1;
constexpr int VERBOSE_ERRORS = 0; // also the level if nobody has set one
extern std::atomic<int> verbose_level_if_read;
int read_verbose_level();

// 1: executions and fallbacks, besides errors; 2: also creations, plans and refusals. The environment is read once.
inline int verbose_level() {
    const int level = verbose_level_if_read.load(std::memory_order_relaxed);
    return level != VERBOSE_LEVEL_NOT_READ ? level : read_verbose_level();
}
void set_verbose_level(int level);

// From now on errors go to standard output, as oneDNN's do, also where nobody has set a level.
void print_errors_as_onednn();

// Writes the line "jitnorm_verbose,v1,<event>,<text>", without harm to the program whose output it is: a line that
// cannot be written is lost. Bytes that are not printable ASCII become \xHH, so that no text makes a
// second line or steers a terminal. Callers check the level before.
void log_line(std::string_view event, std::string_view text);

// Counts a line that is lost. The next line that is written says how many were.
void lose_line() noexcept;

// The same with the text that `text` makes. No call fails because of the log: without memory the line is lost.
template <std::invocable Text> // std::string()
void log_line(std::string_view event, const Text &text) noexcept {
    try {
        log_line(event, std::string_view(text()));
    } catch (const std::bad_alloc &) {
        lose_line();
    }
}

// The milliseconds since `start`, as text for the log.
std::string milliseconds_since(std::chrono::steady_clock::time_point start);

} // namespace jitnorm::impl
