// SPDX-License-Identifier: Apache-2.0
// post_ops: the post-ops that combine a value with another tensor's, defined to the bit; eltwise.hpp has the others.
#pragma once

#include "eltwise.hpp"

namespace jitnorm::impl::math {

// sum
template <typename V>
V add_scaled(V y, V old, V scale, V zero_point) {
    return fma(scale, old - zero_point, y);
}

// Calls body(function), where function(y, other) is the algorithm. Comparisons give 1 or 0.
template <typename V, typename Body>
void visit_binary(jitnorm_alg_kind_t alg, Body &&body) {
    switch (alg) {
    case jitnorm_binary_add:
        return body([](V y, V other) { return y + other; });
    case jitnorm_binary_sub:
        return body([](V y, V other) { return y - other; });
    case jitnorm_binary_mul:
        return body([](V y, V other) { return y * other; });
    case jitnorm_binary_div:
        return body([](V y, V other) { return y / other; });
    case jitnorm_binary_max:
        return body([](V y, V other) { return maximum(y, other); });
    case jitnorm_binary_min:
        return body([](V y, V other) { return minimum(y, other); });
    case jitnorm_binary_ge:
        return body([](V y, V other) { return select(y >= other, V(1), V(0)); });
    case jitnorm_binary_gt:
        return body([](V y, V other) { return select(y > other, V(1), V(0)); });
    case jitnorm_binary_le:
        return body([](V y, V other) { return select(y <= other, V(1), V(0)); });
    case jitnorm_binary_lt:
        return body([](V y, V other) { return select(y < other, V(1), V(0)); });
    case jitnorm_binary_eq:
        return body([](V y, V other) { return select(y == other, V(1), V(0)); });
    case jitnorm_binary_ne:
        return body([](V y, V other) { return select(y != other, V(1), V(0)); });
    default:
        return;
    }
}

} // namespace jitnorm::impl::math
