// SPDX-License-Identifier: Apache-2.0
// input_error: a mistake in what the user gave. main prints its text as one line on stderr and exits with status 2.
#pragma once

#include <stdexcept>

#include "text.hpp"

namespace benchdnn_lite {

struct input_error : std::runtime_error {
    template <typename... Parts>
    explicit input_error(const Parts &...parts) : std::runtime_error(concat(parts...)) {}
};

} // namespace benchdnn_lite
