// SPDX-License-Identifier: Apache-2.0
#include "verbose.hpp"

#include <array>
#include <atomic>
#include <cerrno>

#include <sys/uio.h>
#include <unistd.h>

#include "environment.hpp"

namespace jitnorm::impl {

namespace {

std::atomic<int> &level() {
    static std::atomic<int> value(environment_integer("JITNORM_VERBOSE", 0));
    return value;
}

iovec piece(std::string_view text) { return {const_cast<char *>(text.data()), text.size()}; }

} // namespace

int verbose_level() { return level().load(std::memory_order_relaxed); }

void set_verbose_level(int value) { level().store(value, std::memory_order_relaxed); }

// One system call, so that lines of several threads do not mix; nothing is allocated. A log that cannot be written
// must not stop the work: an error is dropped.
void log_line(std::string_view event, std::string_view text) {
    const std::array line = {piece("jitnorm_verbose,v1,"), piece(event), piece(","), piece(text), piece("\n")};
    while (writev(STDOUT_FILENO, line.data(), int(line.size())) < 0 && errno == EINTR) {
    }
}

} // namespace jitnorm::impl
