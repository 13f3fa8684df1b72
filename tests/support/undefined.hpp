// SPDX-License-Identifier: Apache-2.0
// undefined: enumeration values that a C caller can pass but a C++ conversion does not define.
#pragma once

#include <bit>

namespace jitnorm::tests {

template <typename Enumeration>
Enumeration undefined(int value) {
    return std::bit_cast<Enumeration>(value);
}

} // namespace jitnorm::tests
