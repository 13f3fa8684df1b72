// SPDX-License-Identifier: Apache-2.0
#include "profiling.hpp"

#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <system_error>

#include <unistd.h>

#include "../core/environment.hpp"
#include "../core/process_wide.hpp"
#include "../core/verbose.hpp"
#include "private_file.hpp"

namespace jitnorm::impl::jit {

namespace {

enum class choice { of_environment, no, yes };

constinit std::atomic<choice> perf_map = choice::of_environment;
constinit std::atomic<choice> dumps = choice::of_environment;
constinit process_wide<std::optional<std::string>> folder_set; // behind the process's lock

bool is_wanted(const std::atomic<choice> &chosen, bool by_environment) {
    const choice now = chosen.load(std::memory_order_relaxed);
    return now == choice::of_environment ? by_environment : now == choice::yes;
}

std::string dump_folder() {
    const std::optional<std::string> &set = folder_set.get();
    const char *otherwise = the_environment().jit_dump_folder;
    const std::lock_guard lock(process_lock);
    const std::string folder = set.value_or(otherwise);
    return folder.empty() ? "." : folder;
}

void write(const std::string &path, write_mode mode, const void *bytes, size_t size) {
    const int error = write_private_file(path, mode, bytes, size);
    if (error != 0 && verbose_level() >= 1)
        log_line("error", "cannot write " + path + ": " + std::generic_category().message(error));
}

void append_to_perf_map(const void *begin, size_t size, const char *name) {
    char place[64];
    std::snprintf(place, sizeof place, "%" PRIxPTR " %zx ", reinterpret_cast<uintptr_t>(begin), size);
    const std::string line = std::string(place) + name + "\n";
    write("/tmp/perf-" + std::to_string(getpid()) + ".map", write_mode::append, line.data(), line.size());
}

} // namespace

void set_perf_map(bool wanted) { perf_map.store(wanted ? choice::yes : choice::no, std::memory_order_relaxed); }

void set_dump(bool wanted) { dumps.store(wanted ? choice::yes : choice::no, std::memory_order_relaxed); }

void set_dump_folder(std::string folder) {
    std::optional<std::string> &set = folder_set.get();
    const std::lock_guard lock(process_lock);
    set = std::move(folder);
}

void register_code(const void *begin, size_t size, const char *name) noexcept {
    try {
        const environment &at_first_use = the_environment();
        if (is_wanted(perf_map, at_first_use.jit_profile)) append_to_perf_map(begin, size, name);
        if (is_wanted(dumps, at_first_use.jit_dump_folder[0] != '\0'))
            write(dump_folder() + "/" + name + ".bin", write_mode::replace, begin, size);
    } catch (const std::bad_alloc &) {
        return; // no profile then
    }
}

} // namespace jitnorm::impl::jit
