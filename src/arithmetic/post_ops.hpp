// SPDX-License-Identifier: Apache-2.0
// post_ops: the post-ops that combine a value with another tensor's, defined to the bit; eltwise.hpp has the others.
#pragma once

#include "eltwise.hpp"

namespace jitnorm::impl {

// sum
template <typename T>
T add_scaled(T y, T old, T scale, T zero_point) {
    return std::fma(scale, old - zero_point, y);
}

// Calls body(function), where function(y, other) is the algorithm. Comparisons give 1 or 0.
template <typename T, typename Body>
void visit_binary(jitnorm_alg_kind_t alg, Body &&body) {
    switch (alg) {
    case jitnorm_binary_add:
        return body([](T y, T other) { return y + other; });
    case jitnorm_binary_sub:
        return body([](T y, T other) { return y - other; });
    case jitnorm_binary_mul:
        return body([](T y, T other) { return y * other; });
    case jitnorm_binary_div:
        return body([](T y, T other) { return y / other; });
    case jitnorm_binary_max:
        return body([](T y, T other) { return maximum(y, other); });
    case jitnorm_binary_min:
        return body([](T y, T other) { return minimum(y, other); });
    case jitnorm_binary_ge:
        return body([](T y, T other) { return T(y >= other); });
    case jitnorm_binary_gt:
        return body([](T y, T other) { return T(y > other); });
    case jitnorm_binary_le:
        return body([](T y, T other) { return T(y <= other); });
    case jitnorm_binary_lt:
        return body([](T y, T other) { return T(y < other); });
    case jitnorm_binary_eq:
        return body([](T y, T other) { return T(y == other); });
    case jitnorm_binary_ne:
        return body([](T y, T other) { return T(y != other); });
    default:
        return;
    }
}

} // namespace jitnorm::impl
