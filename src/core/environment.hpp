// SPDX-License-Identifier: Apache-2.0
// environment: variables that steer the library.
#pragma once

#include <string_view>

namespace jitnorm::impl {

// The variable's text, empty when it is not set. It stays valid until the program changes the variable.
std::string_view environment_text(const char *name);

// The variable as a decimal integer; `otherwise` when it is not set or is anything else.
int environment_integer(const char *name, int otherwise);

} // namespace jitnorm::impl
