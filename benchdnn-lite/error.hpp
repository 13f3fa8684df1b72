// SPDX-License-Identifier: Apache-2.0
// input_error: a mistake in what the user gave. main prints its text as one line on stderr and exits with status 2.
// unsupported: a problem that cannot be asked of the library; it is skipped, and its text says why.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "text.hpp"

namespace benchdnn_lite {

// Whatever the user typed stays one line.
inline std::string without_control_characters(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
    return text;
}

struct input_error : std::runtime_error {
    template <typename... Parts>
    explicit input_error(const Parts &...parts) : std::runtime_error(without_control_characters(concat(parts...))) {}
};

struct unsupported : std::runtime_error {
    template <typename... Parts>
    explicit unsupported(const Parts &...parts) : std::runtime_error(concat(parts...)) {}
};

// No implementation is left that the problem's filter accepts.
struct filtered_out : unsupported {
    using unsupported::unsupported;
};

} // namespace benchdnn_lite
