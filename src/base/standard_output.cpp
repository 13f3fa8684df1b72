// SPDX-License-Identifier: Apache-2.0
#include "standard_output.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

#include <poll.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "process.hpp"
#include "uncancellable.hpp"

namespace jitnorm::impl {

namespace {

// How long a line waits for a slow reader, in milliseconds. After it has waited in vain, no line waits until there is
// room again, so a reader that has stopped costs this time once.
constexpr int PATIENCE = 100;

constinit std::atomic<bool> reader_has_stopped = false;

// In this thread a write to a pipe without a reader fails with EPIPE and nothing else. A signal that was pending before
// stays so.
class without_sigpipe {
public:
    without_sigpipe() = default;
    without_sigpipe(const without_sigpipe &) = delete;
    without_sigpipe &operator=(const without_sigpipe &) = delete;
    ~without_sigpipe() {
        constexpr timespec NOW = {};
        const sigset_t sigpipe = only_sigpipe();
        if (!was_pending_ && is_pending()) sigtimedwait(&sigpipe, nullptr, &NOW);
        pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    }

private:
    static sigset_t only_sigpipe() {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, SIGPIPE);
        return one;
    }

    static sigset_t block() {
        const sigset_t sigpipe = only_sigpipe();
        sigset_t before;
        pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
        return before;
    }

    static bool is_pending() {
        sigset_t pending;
        sigemptyset(&pending);
        return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    }

    const sigset_t mask_before_ = block();
    const bool was_pending_ = is_pending(); // no signal can come in between
};

// A write to a file does not wait for anybody. A write to what else there is may, but not while poll() says that there
// is room: then a pipe takes PIPE_BUF bytes.
bool waits_for_a_reader() {
    struct stat what;
    return fstat(STDOUT_FILENO, &what) == 0 && !S_ISREG(what.st_mode);
}

short state_of_output(int milliseconds) {
    pollfd output = {STDOUT_FILENO, POLLOUT, 0};
    return poll(&output, 1, milliseconds) == 1 ? output.revents : short(0);
}

// Whether a write would return at once, as it also does if it fails.
bool returns_at_once() {
    const bool stopped = reader_has_stopped.load(std::memory_order_relaxed);
    const bool ready = state_of_output(stopped ? 0 : PATIENCE) != 0;
    if (ready == stopped) reader_has_stopped.store(!ready, std::memory_order_relaxed);
    return ready;
}

// Writes what stdout's buffer holds. Not if a thread is printing, whom this one would have to wait for; if there is
// more than a pipe surely has room for; or if nobody reads. Nor after a fork, because the buffer may then hold what the
// parent prints, too.
void flush_what_was_printed(bool may_wait) {
    if (forks.load(std::memory_order_relaxed) != 0 || ftrylockfile(stdout) != 0) return;
    const size_t printed = fileno_unlocked(stdout) == STDOUT_FILENO ? __fpending(stdout) : 0;
    if (printed > 0 && (!may_wait || (printed <= PIPE_BUF && state_of_output(0) == POLLOUT))) fflush_unlocked(stdout);
    funlockfile(stdout);
}

// The room that poll() saw may be another writer's by now, so the system is asked not to wait, if it can do that.
ssize_t write_some(std::string_view text, bool may_wait) {
    const iovec piece = {const_cast<char *>(text.data()), text.size()};
#ifdef RWF_NOWAIT
    if (may_wait) {
        const ssize_t written = pwritev2(STDOUT_FILENO, &piece, 1, -1, RWF_NOWAIT);
        if (written >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return written;
    }
#endif
    return writev(STDOUT_FILENO, &piece, 1);
}

bool write_all(std::string_view text, bool may_wait) {
    while (!text.empty()) {
        if (may_wait && !returns_at_once()) return false;
        const ssize_t written = write_some(text, may_wait);
        if (written > 0)
            text.remove_prefix(size_t(written));
        else if (written == 0 || errno != EINTR)
            return false;
    }
    return true;
}

} // namespace

bool write_line(std::string_view line) noexcept {
    const int error_before = errno;
    const uncancellable scope;
    bool written;
    {
        const without_sigpipe quiet;
        const bool may_wait = waits_for_a_reader();
        flush_what_was_printed(may_wait);
        written = write_all(line, may_wait);
    }
    errno = error_before;
    return written;
}

} // namespace jitnorm::impl
