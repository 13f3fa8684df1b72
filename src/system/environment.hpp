// SPDX-License-Identifier: Apache-2.0
// environment: the variables that steer the library, as they were at its first use. A program may change its
// environment in one thread while others use the library, so nothing looks there a second time. What a program has set
// by a function takes precedence; each value's owner sees to that.
#pragma once

#include <climits>
#include <string_view>

namespace jitnorm::impl {

// In a program that runs with the rights of another user or group (setuid, setgid, capabilities) none has an effect.
// Texts end with a zero and are empty where the variable is not set. Nothing is allocated: errors are reported when
// memory is out, too. What has no room is cut, and still means nothing: names are shorter, no file has a longer path.
struct environment {
    environment();

    int verbose;                    // JITNORM_VERBOSE as a level (verbose.hpp)
    char max_cpu_isa[64];           // JITNORM_MAX_CPU_ISA
    char implementation[64];        // JITNORM_IMPL
    unsigned jit_profile;           // JITNORM_JIT_PROFILE as or-ed JITNORM_JIT_PROFILE_*
    char jit_dump_folder[PATH_MAX]; // JITNORM_JIT_DUMP
    char caches[128];               // JITNORM_CACHES
};

const environment &the_environment();

// The level that a text asks for: 0, 1, 2 or oneDNN's words, separated by commas, of which the most counts.
int verbose_level_of(std::string_view text);

// A decimal integer; `otherwise` when the text is anything else.
int integer_or(std::string_view text, int otherwise);

} // namespace jitnorm::impl
