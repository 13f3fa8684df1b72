// SPDX-License-Identifier: Apache-2.0
#include "profiling.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/environment.hpp"
#include "../../base/process.hpp"
#include "../../base/verbose.hpp"
#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl::jit {

namespace {

// ---- the content of the file jit-PID.dump, in perf's format jitdump, version 1. From it `perf inject --jit` makes an
// object file for each kernel with its name and its instructions, which `perf annotate` shows.

struct file_header {
    uint32_t magic, version, size, machine, unused, pid;
    uint64_t time, flags;
};

constexpr uint32_t CODE_LOAD = 0; // a kind of record

struct record_header {
    uint32_t kind;
    uint32_t size; // of the whole record
    uint64_t time;
};

struct code_load { // is followed by the name, a zero and the code
    uint32_t pid, tid;
    uint64_t address_of_mapping, address, size, number;
};

// The time in nanoseconds, of the clock that `perf record -k mono` uses.
uint64_t now() {
    timespec time = {};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return uint64_t(time.tv_sec) * 1'000'000'000U + uint64_t(time.tv_nsec);
}

// Appends the bytes of a number or a structure as they lie in memory.
template <typename T>
requires std::is_trivially_copyable_v<T>
void append(std::string &to, const T &value) { to.append(reinterpret_cast<const char *>(&value), sizeof value); }

std::string_view text_of(std::span<const uint8_t> code) {
    return {reinterpret_cast<const char *>(code.data()), code.size()};
}

constinit std::atomic<uint64_t> kernels = 0;

std::string perf_dump_header() {
    std::string result;
    append(result, file_header{.magic = 0x4A695444, // "JiTD"
                               .version = 1,
                               .size = sizeof(file_header),
                               .machine = EM_X86_64,
                               .unused = 0,
                               .pid = uint32_t(getpid()),
                               .time = now(),
                               .flags = 0});
    return result;
}

// Of one kernel.
std::string perf_dump_record(std::span<const uint8_t> code, const char *name) {
    const auto address = reinterpret_cast<uintptr_t>(code.data());
    const size_t name_size = std::strlen(name) + 1;
    std::string result;
    append(result, record_header{.kind = CODE_LOAD,
                                 .size = uint32_t(sizeof(record_header) + sizeof(code_load) + name_size + code.size()),
                                 .time = now()});
    append(result, code_load{.pid = uint32_t(getpid()),
                             .tid = uint32_t(gettid()),
                             .address_of_mapping = address,
                             .address = address,
                             .size = code.size(),
                             .number = kernels.fetch_add(1, std::memory_order_relaxed)});
    result.append(name, name_size).append(text_of(code));
    return result;
}

// ---- Files for the library's user, written safely. The user may be privileged, and in the folder other users may have
// put something under the file's name.

bool is_own_file(const struct stat &what) {
    return S_ISREG(what.st_mode) && what.st_uid == geteuid() && what.st_nlink == 1;
}

// Opens the file and calls use(file), which does not throw, if it is a regular file of this user that has no other
// name. Does not follow symbolic links and does not wait for the reader of a pipe. Returns what `use` returns, or an
// errno: ELOOP for a symbolic link, EPERM for another user's file or something that is not a regular file.
int open_private(const std::string &path, int flags, const std::function<int(int file)> &use) {
    const uncancellable scope;
    constexpr int ALWAYS = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    const int file = open(path.c_str(), flags | ALWAYS, S_IRUSR | S_IWUSR);
    if (file < 0) return errno;
    struct stat what;
    const int error = fstat(file, &what) != 0 ? errno : is_own_file(what) ? use(file) : EPERM;
    close(file);
    return error;
}

int write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : EIO;
        bytes.remove_prefix(size_t(written));
    }
    return 0;
}

enum class write_mode { append, replace };

// Creates the file for this user alone (mode 0600), or writes to an existing one. That is emptied only after
// open_private() has checked it, so O_TRUNC cannot be used. Returns 0 or an errno.
int write_private_file(const std::string &path, write_mode mode, std::string_view bytes) {
    return open_private(path, O_WRONLY | O_CREAT | O_APPEND, [&](int file) {
        return mode == write_mode::replace && ftruncate(file, 0) != 0 ? errno : write_all(file, bytes);
    });
}

// Maps a page of such a file as executable for as long as the process lives, because perf finds the file by this
// mapping. The page lies past the file's end, so that nothing in the file can be executed. Returns 0 or an errno.
int show_private_file(const std::string &path) {
    constexpr off_t PAST_END = off_t(1) << 40;
    return open_private(path, O_RDONLY, [](int file) {
        const auto page = size_t(sysconf(_SC_PAGESIZE));
        return mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, PAST_END) == MAP_FAILED ? errno : 0;
    });
}

// ---- the settings, and the files

enum class choice { of_environment, no, yes };

constexpr unsigned PROFILERS_OF_ENVIRONMENT = ~0U;

constinit std::atomic<unsigned> profilers_set = PROFILERS_OF_ENVIRONMENT;
constinit std::atomic<choice> dumps = choice::of_environment;
constinit std::atomic<bool> ignored_flags_are_logged = false, failure_is_logged = false;
constinit process_wide<std::optional<std::string>> folder_set; // process_lock protects it
constinit process_wide<std::vector<std::string>> dumps_begun;  // the paths of perf's dumps; process_lock protects it

unsigned wanted_profilers() {
    const unsigned flags = profilers_set.load(std::memory_order_relaxed);
    if (flags != PROFILERS_OF_ENVIRONMENT) return flags;
    const char *ignored = the_environment().ignored_jit_profile;
    if (*ignored != '\0' && verbose_level() >= VERBOSE_ERRORS && !ignored_flags_are_logged.exchange(true))
        log_line("error",
                 std::string("JITNORM_JIT_PROFILE is ") + ignored + ", of which only the flags 2 and 4 have an effect");
    return the_environment().jit_profile;
}

bool are_dumps_wanted() {
    const choice now = dumps.load(std::memory_order_relaxed);
    return now == choice::of_environment ? the_environment().jit_dump_folder[0] != '\0' : now == choice::yes;
}

std::string dump_folder() {
    const std::optional<std::string> &set = folder_set.get();
    const char *otherwise = the_environment().jit_dump_folder;
    const std::lock_guard lock(process_lock);
    const std::string folder = set.value_or(otherwise);
    return folder.empty() ? "." : folder;
}

// Where nobody asked for a log, one line is enough until another folder is chosen.
void log_if_failed(int error, const std::string &path) {
    if (error == 0) return;
    const std::string what = "cannot write " + path + ": " + std::generic_category().message(error);
    if (verbose_level() >= 1)
        log_line("error", what);
    else if (verbose_level() >= VERBOSE_ERRORS && !failure_is_logged.exchange(true))
        log_line("error", what + "; JITNORM_VERBOSE=1 reports others");
}

void append_to_perf_map(std::span<const uint8_t> code, const char *name) {
    char place[64];
    std::snprintf(place, sizeof place, "%" PRIxPTR " %zx ", reinterpret_cast<uintptr_t>(code.data()), code.size());
    const std::string line = std::string(place) + name + "\n", path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    log_if_failed(write_private_file(path, write_mode::append, line), path);
}

// Writes the dump's header and makes perf notice the file, unless this has been done for the path before. Each process
// has a dump of its own in each folder that it chooses.
int begin_perf_dump(const std::string &path) {
    std::vector<std::string> &begun = dumps_begun.get();
    const std::lock_guard lock(process_lock);
    if (std::ranges::find(begun, path) != begun.end()) return 0;
    int error = write_private_file(path, write_mode::replace, perf_dump_header());
    if (error == 0) error = show_private_file(path);
    if (error == 0) begun.push_back(path);
    return error;
}

void append_to_perf_dump(std::span<const uint8_t> code, const char *name) {
    const std::string path = dump_folder() + "/jit-" + std::to_string(getpid()) + ".dump";
    int error = begin_perf_dump(path);
    if (error == 0) error = write_private_file(path, write_mode::append, perf_dump_record(code, name));
    log_if_failed(error, path);
}

void dump(std::span<const uint8_t> code, const char *name) {
    const std::string path = dump_folder() + "/" + name + ".bin";
    log_if_failed(write_private_file(path, write_mode::replace, text_of(code)), path);
}

} // namespace

void set_profilers(unsigned flags) { profilers_set.store(flags, std::memory_order_relaxed); }

void set_dump(bool wanted) { dumps.store(wanted ? choice::yes : choice::no, std::memory_order_relaxed); }

void set_dump_folder(std::string folder) {
    std::optional<std::string> &set = folder_set.get();
    const std::lock_guard lock(process_lock);
    set = std::move(folder);
    failure_is_logged.store(false, std::memory_order_relaxed);
}

void register_code(std::span<const uint8_t> code, const char *name) noexcept {
    try {
        const unsigned profilers = wanted_profilers();
        if ((profilers & JITNORM_JIT_PROFILE_LINUX_PERFMAP) != 0) append_to_perf_map(code, name);
        if ((profilers & JITNORM_JIT_PROFILE_LINUX_JITDUMP) != 0) append_to_perf_dump(code, name);
        if (are_dumps_wanted()) dump(code, name);
    } catch (const std::bad_alloc &) {
        return; // no profile then
    }
}

} // namespace jitnorm::impl::jit
