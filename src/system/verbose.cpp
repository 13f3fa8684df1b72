// SPDX-License-Identifier: Apache-2.0
#include "verbose.hpp"

#include <array>
#include <cerrno>
#include <cstdio>

#include <sys/uio.h>
#include <unistd.h>

#include "environment.hpp"
#include "uncancellable.hpp"

namespace jitnorm::impl {

namespace {

iovec piece(std::string_view text) { return {const_cast<char *>(text.data()), text.size()}; }

} // namespace

constinit std::atomic<int> verbose_level_if_read = VERBOSE_LEVEL_NOT_READ;

// If another thread sets a level meanwhile, that level stays.
int read_verbose_level() {
    int level = VERBOSE_LEVEL_NOT_READ;
    const int read = the_environment().verbose;
    return verbose_level_if_read.compare_exchange_strong(level, read, std::memory_order_relaxed) ? read : level;
}

void set_verbose_level(int value) { verbose_level_if_read.store(value, std::memory_order_relaxed); }

// Writes the line by one system call, so that lines of several threads do not mix, and allocates nothing. Errors of
// writing are ignored, because a log that cannot be written must not stop the work.
void log_line(std::string_view event, std::string_view text) {
    const uncancellable scope;
    const std::array line = {piece("jitnorm_verbose,v1,"), piece(event), piece(","), piece(text), piece("\n")};
    while (writev(STDOUT_FILENO, line.data(), int(line.size())) < 0 && errno == EINTR) {
    }
}

std::string milliseconds_since(std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", taken.count());
    return text;
}

} // namespace jitnorm::impl
