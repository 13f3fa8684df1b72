// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "process_wide.hpp"

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

constinit process_wide<const environment> at_first_use;

} // namespace

environment::environment()
    : verbose(std::max(integer_or(text_of("JITNORM_VERBOSE"), 0), 0)),
      jit_profile(integer_or(text_of("JITNORM_JIT_PROFILE"), 0) != 0) {
    copy(text_of("JITNORM_MAX_CPU_ISA"), max_cpu_isa);
    copy(text_of("JITNORM_IMPL"), implementation);
    copy(text_of("JITNORM_JIT_DUMP"), jit_dump_folder);
}

const environment &the_environment() { return at_first_use.get(); }

int integer_or(std::string_view text, int otherwise) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

} // namespace jitnorm::impl
