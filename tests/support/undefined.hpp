// SPDX-License-Identifier: Apache-2.0
// undefined: enumeration values that a C caller can pass but a C++ conversion does not define.
#pragma once

#include <cstring>

namespace jitnorm::tests {

template <typename Enumeration>
Enumeration undefined(int value) {
    static_assert(sizeof(Enumeration) == sizeof(int));
    Enumeration result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

} // namespace jitnorm::tests
