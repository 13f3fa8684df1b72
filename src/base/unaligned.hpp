// SPDX-License-Identifier: Apache-2.0
// unaligned: access to values in users' memory, which may have any alignment.
#pragma once

#include <cstring>

#include "dim.hpp"

namespace jitnorm::impl {

// The element `index` of an array of values.
template <typename Value>
Value load(const void *array, dim_t index = 0) {
    Value value;
    std::memcpy(&value, static_cast<const char *>(array) + index * dim_t(sizeof value), sizeof value);
    return value;
}

template <typename Value>
void store(Value value, void *array, dim_t index = 0) {
    std::memcpy(static_cast<char *>(array) + index * dim_t(sizeof value), &value, sizeof value);
}

} // namespace jitnorm::impl
