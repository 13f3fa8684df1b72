// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "jitnorm/jitnorm_types.h"
#include "process.hpp"
#include "verbose.hpp"

namespace jitnorm::impl {

namespace {

std::string_view text_of(const char *name) {
    const char *text = secure_getenv(name);
    return text == nullptr ? std::string_view() : std::string_view(text);
}

template <size_t Room>
void copy(std::string_view text, char (&to)[Room]) {
    to[text.copy(to, Room - 1)] = '\0';
}

// The value 1 asks for a profiler that oneDNN supports and this library does not. Since it says that somebody wants the
// names of kernels, it has the same effect here as asking for perf's file of names.
unsigned profilers_of(int flags) {
    return flags == 1 ? JITNORM_JIT_PROFILE_LINUX_PERFMAP : unsigned(flags) & unsigned(JITNORM_JIT_PROFILE_LINUX_PERF);
}

bool names_profilers_only(std::string_view text) {
    const int flags = integer_or(text, -1);
    return text.empty() || flags == 1 || unsigned(flags) == profilers_of(flags);
}

constexpr struct {
    const char *word;
    int level;
} VERBOSE_WORDS[] = {{"none", VERBOSE_NOTHING},
                     {"0", VERBOSE_NOTHING},
                     {"error", VERBOSE_ERRORS},
                     {"warn", VERBOSE_ERRORS},
                     {"check", 1},
                     {"profile_exec", 1},
                     {"1", 1},
                     {"profile_create", 2},
                     {"profile", 2},
                     {"dispatch", 2},
                     {"all", 2}};

// The level that a word asks for, or VERBOSE_LEVEL_NOT_READ if it has no meaning.
int verbose_level_of_word(std::string_view word) {
    const auto *const known = std::ranges::find_if(VERBOSE_WORDS, [&](const auto &w) { return word == w.word; });
    if (known != std::end(VERBOSE_WORDS)) return known->level;
    return integer_or(word, 0) >= 2 ? 2 : VERBOSE_LEVEL_NOT_READ;
}

bool is_passive(std::string_view policy) {
    constexpr auto SMALL = [](char c) { return char(c | ('a' ^ 'A')); };
    return std::ranges::equal(policy, std::string_view("passive"), {}, SMALL);
}

// Takes what is in front of the first separator, and the separator.
std::string_view take_word(std::string_view &list, char separator = ',') {
    const std::string_view word = list.substr(0, list.find(separator));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    return word;
}

// ---- the quota of a container

constexpr size_t LONGEST_NAME = 4096, LONGEST_TEXT = 4096;

// The beginning of the file, as much as fits into `to`; empty if it cannot be read. errno stays as it was: the
// environment is read in whatever function is called first.
std::string_view content(const char *file, char (&to)[LONGEST_TEXT]) {
    const int before = errno;
    const int opened = open(file, O_RDONLY | O_CLOEXEC);
    const ssize_t size = opened < 0 ? 0 : read(opened, to, LONGEST_TEXT);
    if (opened >= 0) close(opened);
    errno = before;
    return {to, size > 0 ? size_t(size) : 0};
}

// The group of version 2 in a text like "0::/a/b\n". One of another namespace, which begins with "/..", counts as none.
std::string_view group_in(std::string_view membership) {
    constexpr std::string_view BEFORE = "0::";
    while (!membership.empty()) {
        const std::string_view line = take_word(membership, '\n');
        if (line.starts_with(BEFORE)) return line.starts_with("0::/..") ? "" : line.substr(BEFORE.size());
    }
    return {};
}

int processors_of_group(std::string_view root, std::string_view group) {
    char name[LONGEST_NAME], text[LONGEST_TEXT];
    const int size = std::snprintf(name, sizeof name, "%.*s%.*s/cpu.max", int(root.size()), root.data(),
                                   int(group.size()), group.data());
    return size < int(sizeof name) ? processors_in(content(name, text)) : NO_QUOTA;
}

constinit process_wide<const environment> at_first_use;

} // namespace

environment::environment()
    : verbose(verbose_level_of(text_of("JITNORM_VERBOSE"))), verbose_is_set(!text_of("JITNORM_VERBOSE").empty()),
      jit_profile(profilers_of(integer_or(text_of("JITNORM_JIT_PROFILE"), 0))),
      threads_sleep(is_passive(text_of("OMP_WAIT_POLICY"))),
      waiting_is_chosen(!text_of("OMP_WAIT_POLICY").empty() || !text_of("GOMP_SPINCOUNT").empty() ||
                        !text_of("KMP_BLOCKTIME").empty()),
      processors(text_of("OMP_NUM_THREADS").empty() ? processors_of_quota("/proc/self/cgroup", "/sys/fs/cgroup")
                                                    : NO_QUOTA) {
    const std::string_view profilers = text_of("JITNORM_JIT_PROFILE");
    copy(unknown_word_of_verbose(text_of("JITNORM_VERBOSE")), unknown_verbose);
    copy(names_profilers_only(profilers) ? "" : profilers, ignored_jit_profile);
    copy(text_of("JITNORM_MAX_CPU_ISA"), max_cpu_isa);
    copy(text_of("JITNORM_IMPL"), implementation);
    copy(text_of("JITNORM_JIT_DUMP"), jit_dump_folder);
    copy(text_of("JITNORM_CACHES"), caches);
}

int verbose_level_of(std::string_view text) {
    int level = VERBOSE_LEVEL_NOT_READ; // until a word with a meaning is found
    while (!text.empty()) level = std::max(level, verbose_level_of_word(take_word(text)));
    return level == VERBOSE_LEVEL_NOT_READ ? VERBOSE_ERRORS : level;
}

std::string_view unknown_word_of_verbose(std::string_view text) {
    while (!text.empty()) {
        const std::string_view word = take_word(text);
        if (!word.empty() && verbose_level_of_word(word) == VERBOSE_LEVEL_NOT_READ) return word;
    }
    return {};
}

name_list verbose_words() {
    name_list words;
    for (const auto &known : VERBOSE_WORDS) words.add(known.word);
    return words;
}

const environment &the_environment() { return at_first_use.get(); }

int processors_in(std::string_view cpu_max) {
    std::string_view line = take_word(cpu_max, '\n');
    const long quota = integer_or(take_word(line, ' '), 0L), period = integer_or(line, 0L);
    if (quota <= 0 || period <= 0) return NO_QUOTA;
    return int(std::min<long>(quota / period + (quota % period != 0 ? 1 : 0), NO_QUOTA));
}

int processors_of_quota(const char *membership, std::string_view root) {
    char text[LONGEST_TEXT];
    std::string_view group = group_in(content(membership, text));
    int least = NO_QUOTA;
    for (;;) {
        least = std::min(least, processors_of_group(root, group));
        if (group.empty()) return least;
        group = group.substr(0, group.rfind('/') == group.npos ? 0 : group.rfind('/'));
    }
}

} // namespace jitnorm::impl
