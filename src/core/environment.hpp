// SPDX-License-Identifier: Apache-2.0
// environment: the variables that steer the library, as they were at its first use. A program may change its
// environment in one thread while others use the library, so nothing looks there a second time. What a program has set
// by a function takes precedence; each value's owner sees to that.
#pragma once

#include <string>
#include <string_view>

namespace jitnorm::impl {

// In a program that runs with the rights of another user or group (setuid, setgid, capabilities) none has an effect.
struct environment {
    environment();

    int verbose;                 // JITNORM_VERBOSE; 0 where it is not a number
    std::string max_cpu_isa;     // JITNORM_MAX_CPU_ISA
    std::string implementation;  // JITNORM_IMPL
    bool jit_profile;            // JITNORM_JIT_PROFILE is a number and not 0
    std::string jit_dump_folder; // JITNORM_JIT_DUMP
};

const environment &the_environment();

// A decimal integer; `otherwise` when the text is anything else.
int integer_or(std::string_view text, int otherwise);

} // namespace jitnorm::impl
