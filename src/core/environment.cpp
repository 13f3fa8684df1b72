// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <charconv>
#include <cstdlib>

namespace jitnorm::impl {

std::string_view environment_text(const char *name) {
    const char *text = std::getenv(name);
    return text == nullptr ? std::string_view() : std::string_view(text);
}

int environment_integer(const char *name, int otherwise) {
    const std::string_view text = environment_text(name);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

} // namespace jitnorm::impl
