// SPDX-License-Identifier: Apache-2.0
// post_ops: the functions that post-ops apply to values, defined to the bit.
#pragma once

#include "erf.hpp"
#include "exp.hpp"
#include "jitnorm/jitnorm_types.h"
#include "log.hpp"

namespace jitnorm::impl::math {

template <typename V>
V clip(V x, V lowest, V highest) {
    return minimum(highest, maximum(lowest, x));
}

template <typename V>
V hardsigmoid(V x, V alpha, V beta) {
    return clip(fma(alpha, x, beta), V(0), V(1));
}

// Whether relu multiplies negative values by alpha; with an alpha of 0 the product would be NaN for -infinity. No other
// algorithm depends on this.
template <typename T>
constexpr bool is_leaky(T alpha) {
    return alpha != T(0);
}

// Calls body(function), where function(x) applies an algorithm that validate() accepts with these parameters, and
// returns NaN for NaN. `leaky` is is_leaky() of alpha.
template <typename V, typename Body>
void visit_eltwise(jitnorm_alg_kind_t alg, bool leaky, V alpha, V beta, Body &&body) {
    switch (alg) {
    case jitnorm_eltwise_relu:
        if (!leaky) return body([](V x) { return maximum(V(0), x); });
        return body([=](V x) { return select(x > V(0), x, alpha * x); });
    case jitnorm_eltwise_linear:
        return body([=](V x) { return fma(alpha, x, beta); });
    case jitnorm_eltwise_clip:
    case jitnorm_eltwise_clip_v2:
        return body([=](V x) { return clip(x, alpha, beta); });
    case jitnorm_eltwise_abs:
        return body([](V x) { return fabs(x); });
    case jitnorm_eltwise_square:
        return body([](V x) { return x * x; });
    case jitnorm_eltwise_sqrt:
        return body([](V x) { return sqrt(x); });
    case jitnorm_eltwise_hardsigmoid:
        return body([=](V x) { return hardsigmoid(x, alpha, beta); });
    case jitnorm_eltwise_hardswish:
        return body([=](V x) { return x * hardsigmoid(x, alpha, beta); });
    case jitnorm_eltwise_round:
        return body([](V x) { return round_to_even(x); });
    case jitnorm_eltwise_exp:
        return body([](V x) { return exp(x); });
    case jitnorm_eltwise_elu:
        return body([=](V x) { return elu(x, alpha); });
    case jitnorm_eltwise_log:
        return body([](V x) { return log(x); });
    case jitnorm_eltwise_soft_relu:
        return body([=](V x) { return soft_relu(x, alpha); });
    case jitnorm_eltwise_mish:
        return body([](V x) { return mish(x); });
    case jitnorm_eltwise_pow:
        return body([=](V x) { return alpha * pow(x, beta); });
    case jitnorm_eltwise_logistic:
        return body([](V x) { return logistic(x); });
    case jitnorm_eltwise_tanh:
        return body([](V x) { return tanh(x); });
    case jitnorm_eltwise_swish:
        return body([=](V x) { return swish(x, alpha); });
    case jitnorm_eltwise_gelu_tanh:
        return body([](V x) { return gelu_tanh(x); });
    case jitnorm_eltwise_gelu_erf:
        return body([](V x) { return gelu_erf(x); });
    default:
        return;
    }
}

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
    case jitnorm_binary_mul_silu:
        return body([](V y, V other) { return y * swish(other, V(1)); });
    case jitnorm_binary_mul_plus_one:
        return body([](V y, V other) { return fma(y, other, y); });
    default:
        return;
    }
}

} // namespace jitnorm::impl::math
