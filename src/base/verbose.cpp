// SPDX-License-Identifier: Apache-2.0
#include "verbose.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <ctime>

#include <poll.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "environment.hpp"
#include "process.hpp"

namespace jitnorm::impl {

namespace {

// ---- Standard output or standard error, where the log goes. They belong to the program, so a line must neither end
// nor stop nor change the process, whatever they are connected to.

constinit std::atomic<bool> is_asked_for = false; // by the function, by the environment or by oneDNN's headers

int output() { return is_asked_for.load(std::memory_order_relaxed) ? STDOUT_FILENO : STDERR_FILENO; }

// The most bytes of a line: a pipe takes so many in one piece.
constexpr size_t LONGEST_LINE = PIPE_BUF;

// How long a line waits for a slow reader, in milliseconds. After it has waited in vain, no line waits until there is
// room again, so a reader that has stopped costs this time once.
constexpr int PATIENCE = 100;

constinit std::atomic<bool> reader_has_stopped = false;

// In this thread a write to a pipe without a reader only fails with EPIPE. A signal that was pending before stays so.
class without_sigpipe {
public:
    without_sigpipe() {
        sigemptyset(&sigpipe_);
        sigaddset(&sigpipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &sigpipe_, &mask_before_);
    }
    without_sigpipe(const without_sigpipe &) = delete;
    without_sigpipe &operator=(const without_sigpipe &) = delete;
    ~without_sigpipe() {
        constexpr timespec NOW = {};
        if (!was_pending_ && is_pending()) sigtimedwait(&sigpipe_, nullptr, &NOW);
        pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    }

private:
    static bool is_pending() {
        sigset_t pending;
        sigemptyset(&pending);
        return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    }

    const bool was_pending_ = is_pending();
    sigset_t sigpipe_, mask_before_;
};

// A write to a file does not wait for anybody. A write to a pipe, socket or terminal may, but not while poll() says
// that there is room: then a pipe takes PIPE_BUF bytes.
bool waits_for_a_reader(int to) {
    struct stat what;
    return fstat(to, &what) == 0 && !S_ISREG(what.st_mode);
}

short state_of(int to, int milliseconds) {
    pollfd output = {to, POLLOUT, 0};
    return poll(&output, 1, milliseconds) == 1 ? output.revents : short(0);
}

// Whether a write would return at once, as it also does if it fails.
bool returns_at_once(int to) {
    const bool stopped = reader_has_stopped.load(std::memory_order_relaxed);
    const bool ready = state_of(to, stopped ? 0 : PATIENCE) != 0;
    if (ready == stopped) reader_has_stopped.store(!ready, std::memory_order_relaxed);
    return ready;
}

// Writes stdout's buffer. Not if a thread is printing, for which this one would have to wait; if the buffer has more
// than a pipe surely has room for; or if nobody reads. Nor after a fork, because the parent may print the same bytes.
void flush_what_was_printed(bool may_wait) {
    if (forks.load(std::memory_order_relaxed) != 0 || ftrylockfile(stdout) != 0) return;
    const size_t printed = fileno_unlocked(stdout) == STDOUT_FILENO ? __fpending(stdout) : 0;
    if (printed > 0 && (!may_wait || (printed <= PIPE_BUF && state_of(STDOUT_FILENO, 0) == POLLOUT)))
        fflush_unlocked(stdout);
    funlockfile(stdout);
}

// The room that poll() saw may be another writer's by now, so the system is asked not to wait, if it can do that.
ssize_t write_some(int to, std::string_view text, bool may_wait) {
    const iovec piece = {const_cast<char *>(text.data()), text.size()};
#ifdef RWF_NOWAIT
    if (may_wait) {
        const ssize_t written = pwritev2(to, &piece, 1, -1, RWF_NOWAIT);
        if (written >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS)) return written;
    }
#endif
    return writev(to, &piece, 1);
}

bool write_all(int to, std::string_view text, bool may_wait) {
    while (!text.empty()) {
        if (may_wait && !returns_at_once(to)) return false;
        const ssize_t written = write_some(to, text, may_wait);
        if (written > 0)
            text.remove_prefix(size_t(written));
        else if (written == 0 || errno != EINTR)
            return false;
    }
    return true;
}

// Writes the line by one system call, so that lines of several threads do not mix, and allocates nothing. The line
// comes after what the program has printed to stdout, if its buffer can be written without waiting. The line is lost if
// it cannot be written: if nobody reads the pipe, or if the pipe, socket or terminal is full and no room is made for a
// moment. No signal stays pending, and errno is as before. Returns whether the line was written.
bool write_line(std::string_view line) {
    const int error_before = errno;
    const uncancellable scope;
    bool written;
    {
        const without_sigpipe quiet;
        const int to = output();
        const bool may_wait = waits_for_a_reader(to);
        if (to == STDOUT_FILENO) flush_what_was_printed(may_wait);
        written = write_all(to, line, may_wait);
    }
    errno = error_before;
    return written;
}

// ---- The lines

// A line of the log. Texts may come from a program's user: all but printable ASCII, and the backslash, become \xHH.
class line {
public:
    void add(std::string_view text) {
        static constexpr const char *DIGITS = "0123456789abcdef";
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            const char code[] = {'\\', 'x', DIGITS[byte / 16], DIGITS[byte % 16]};
            const bool is_plain = c >= ' ' && c <= '~' && c != '\\';
            const auto shown = is_plain ? std::string_view(&c, 1) : std::string_view(code, sizeof code);
            is_cut_ |= size_ + shown.size() > text_.size() - ROOM_FOR_END;
            if (is_cut_) return;
            size_ += shown.copy(text_.data() + size_, shown.size());
        }
    }

    std::string_view finish() {
        const std::string_view end = is_cut_ ? "...\n" : "\n";
        size_ += end.copy(text_.data() + size_, end.size());
        return {text_.data(), size_};
    }

private:
    static constexpr size_t ROOM_FOR_END = 4;

    std::array<char, LONGEST_LINE> text_;
    size_t size_ = 0;
    bool is_cut_ = false;
};

bool write_event(std::string_view event, std::string_view text) {
    line whole;
    for (const std::string_view part : {std::string_view("jitnorm_verbose,v1,"), event, std::string_view(","), text})
        whole.add(part);
    return write_line(whole.finish());
}

// The lines that could not be written since the last one that could.
constinit std::atomic<int> lost = 0;

bool tell_of_lost_lines() {
    const int lines = lost.exchange(0, std::memory_order_relaxed);
    if (lines == 0) return true;
    char text[32];
    std::snprintf(text, sizeof text, "%d lines", lines);
    if (write_event("lost", text)) return true;
    lost.fetch_add(lines, std::memory_order_relaxed);
    return false;
}

} // namespace

constinit std::atomic<int> verbose_level_if_read = VERBOSE_LEVEL_NOT_READ;

// If another thread sets a level meanwhile, that level stays.
int read_verbose_level() {
    int level = VERBOSE_LEVEL_NOT_READ;
    const environment &asked = the_environment();
    if (asked.verbose_is_set) is_asked_for.store(true, std::memory_order_relaxed);
    if (!verbose_level_if_read.compare_exchange_strong(level, asked.verbose, std::memory_order_relaxed)) return level;
    if (asked.verbose < VERBOSE_ERRORS || asked.unknown_verbose[0] == '\0') return asked.verbose;
    char text[384];
    std::snprintf(text, sizeof text, "JITNORM_VERBOSE: unknown word '%s' has no effect; known: %s",
                  asked.unknown_verbose, verbose_words().text());
    log_line("error", text);
    return asked.verbose;
}

void set_verbose_level(int value) {
    is_asked_for.store(true, std::memory_order_relaxed);
    verbose_level_if_read.store(value, std::memory_order_relaxed);
}

void print_errors_as_onednn() { is_asked_for.store(true, std::memory_order_relaxed); }

void log_line(std::string_view event, std::string_view text) {
    if (!tell_of_lost_lines() || !write_event(event, text)) lose_line();
}

void lose_line() noexcept { lost.fetch_add(1, std::memory_order_relaxed); }

std::string milliseconds_since(std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", taken.count());
    return text;
}

} // namespace jitnorm::impl
