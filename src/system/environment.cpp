// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "jitnorm/jitnorm_types.h"
#include "process_wide.hpp"
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
    constexpr unsigned KNOWN = JITNORM_JIT_PROFILE_LINUX_PERF;
    return flags == 1 ? JITNORM_JIT_PROFILE_LINUX_PERFMAP : unsigned(flags) & KNOWN;
}

constinit process_wide<const environment> at_first_use;

} // namespace

environment::environment()
    : verbose(verbose_level_of(text_of("JITNORM_VERBOSE"))),
      jit_profile(profilers_of(integer_or(text_of("JITNORM_JIT_PROFILE"), 0))) {
    copy(text_of("JITNORM_MAX_CPU_ISA"), max_cpu_isa);
    copy(text_of("JITNORM_IMPL"), implementation);
    copy(text_of("JITNORM_JIT_DUMP"), jit_dump_folder);
    copy(text_of("JITNORM_CACHES"), caches);
}

int verbose_level_of(std::string_view text) {
    constexpr struct {
        std::string_view word;
        int level;
    } WORDS[] = {{"none", VERBOSE_NOTHING},
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
    int level = VERBOSE_LEVEL_NOT_READ; // until a word with a meaning is found
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        for (const auto &known : WORDS)
            if (known.word == word) level = std::max(level, known.level);
        if (integer_or(word, 0) >= 2) level = 2;
    }
    return level == VERBOSE_LEVEL_NOT_READ ? VERBOSE_ERRORS : level;
}

const environment &the_environment() { return at_first_use.get(); }

int integer_or(std::string_view text, int otherwise) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

} // namespace jitnorm::impl
