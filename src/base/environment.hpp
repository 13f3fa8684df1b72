// SPDX-License-Identifier: Apache-2.0
// environment: the environment variables that steer the library, as they were at its first use. They are read once,
// because a program may change its environment in one thread while other threads use the library. A value that the
// program has set by a function takes precedence; the code that uses the value sees to that. The number of processors
// that the container grants is read at the same time.
#pragma once

#include <charconv>
#include <climits>
#include <concepts>
#include <string_view>

#include "status.hpp"

namespace jitnorm::impl {

// No variable has an effect in a program that runs with the rights of another user or group (setuid, setgid,
// capabilities). Texts end with a zero and are empty if the variable is not set. The texts are arrays and not strings,
// so that nothing allocates: errors are reported when memory is out, too. A text that is too long is cut. It had no
// meaning before and has none after that, because names are shorter and no file has a longer path.
struct environment {
    environment();

    int verbose;                    // JITNORM_VERBOSE as a level (verbose.hpp)
    bool verbose_is_set;            // to some text
    char unknown_verbose[64];       // the first word of JITNORM_VERBOSE that is none
    char max_cpu_isa[64];           // JITNORM_MAX_CPU_ISA
    char implementation[64];        // JITNORM_IMPL
    unsigned jit_profile;           // JITNORM_JIT_PROFILE: the constants JITNORM_JIT_PROFILE_*, or-ed
    char ignored_jit_profile[64];   // JITNORM_JIT_PROFILE, if it asks for more than that
    char jit_dump_folder[PATH_MAX]; // JITNORM_JIT_DUMP
    char caches[512];               // JITNORM_CACHES
    bool threads_sleep;             // OMP_WAIT_POLICY is PASSIVE, in letters of any case: OpenMP's threads do
    bool waiting_is_chosen; // OMP_WAIT_POLICY, GOMP_SPINCOUNT or KMP_BLOCKTIME is set: how long OpenMP's threads spin
    int processors;         // that a container may keep busy; without effect where OMP_NUM_THREADS is set
};

const environment &the_environment();

// The highest of the verbose levels that a text asks for: a list of 0, 1, 2 and oneDNN's words, separated by commas.
int verbose_level_of(std::string_view text);

// The first word of such a list that has no meaning; empty if all have one.
std::string_view unknown_word_of_verbose(std::string_view text);
name_list verbose_words(); // those that have one, beside numbers

// The decimal integer that the text is, or `otherwise` if it is none.
template <std::integral Integer>
Integer integer_or(std::string_view text, Integer otherwise) {
    Integer value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

// ---- How many processors a container may keep busy, by control groups of version 2. If more threads run, the kernel
// stops them all until the next period, while each waits for the others.

constexpr int NO_QUOTA = INT_MAX;

// The quota in a file cpu.max, "QUOTA PERIOD" in microseconds, in processors, rounded up; NO_QUOTA for other texts.
int processors_in(std::string_view cpu_max);

// The least quota of the process's control group and of the groups above it. `membership` is /proc/self/cgroup, `root`
// the folder of all groups, /sys/fs/cgroup. A missing file sets no quota. Allocates nothing.
int processors_of_quota(const char *membership, std::string_view root);

} // namespace jitnorm::impl
