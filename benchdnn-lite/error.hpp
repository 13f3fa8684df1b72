// SPDX-License-Identifier: Apache-2.0
// input_error: a mistake of the user on the command line or in a file. The program prints its text as one line on
// stderr and ends with status 2 (cli/exit_status.hpp).
// unsupported: the library does not solve a problem. If it cannot be asked, the test is skipped; if it answers with an
// error (api_error), the test ends with that. The text says why.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "text.hpp"

namespace benchdnn_lite {

// Replaces control characters by '?', so that an error that quotes what the user typed stays on one line.
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

// Returns step(), and puts `place` and a colon in front of the mistakes that it finds.
template <typename Step>
auto blame(std::string_view place, Step step) {
    try {
        return step();
    } catch (const input_error &error) {
        throw input_error(place, ": ", error.what());
    }
}

// The problem's filter (--impl, --skip-impl) accepts none of the implementations.
struct filtered_out : unsupported {
    using unsupported::unsupported;
};

} // namespace benchdnn_lite
