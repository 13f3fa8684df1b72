// SPDX-License-Identifier: Apache-2.0
// eltwise: the functions that an eltwise post-op can apply, defined to the bit. NaN gives NaN.
#pragma once

#include "erf.hpp"
#include "tanh.hpp"

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

// As x86's max and min do it: b where one of the two is NaN, and where both are zero.
template <typename T>
T maximum(T a, T b) {
    return a > b ? a : b;
}
template <typename T>
T minimum(T a, T b) {
    return a < b ? a : b;
}

namespace math {

template <typename T>
T relu(T x, T alpha) {
    return x > T(0) ? x : alpha * x;
}
// Apart from relu with alpha 0 for -infinity.
template <typename T>
T relu(T x) {
    return maximum(T(0), x);
}

template <typename T>
T clip(T x, T lowest, T highest) {
    return minimum(highest, maximum(lowest, x));
}

template <typename T>
T hardsigmoid(T x, T alpha, T beta) {
    return clip(std::fma(alpha, x, beta), T(0), T(1));
}

} // namespace math

// Calls body(function), where function(x) is the algorithm with its parameters bound. The algorithm is one that
// validate() accepts.
template <typename T, typename Body>
void visit_eltwise(jitnorm_alg_kind_t alg, T alpha, T beta, Body &&body) {
    switch (alg) {
    case jitnorm_eltwise_relu:
        if (alpha == T(0)) return body([](T x) { return math::relu(x); });
        return body([=](T x) { return math::relu(x, alpha); });
    case jitnorm_eltwise_linear:
        return body([=](T x) { return std::fma(alpha, x, beta); });
    case jitnorm_eltwise_clip:
    case jitnorm_eltwise_clip_v2:
        return body([=](T x) { return math::clip(x, alpha, beta); });
    case jitnorm_eltwise_abs:
        return body([](T x) { return std::fabs(x); });
    case jitnorm_eltwise_square:
        return body([](T x) { return x * x; });
    case jitnorm_eltwise_sqrt:
        return body([](T x) { return std::sqrt(x); });
    case jitnorm_eltwise_hardsigmoid:
        return body([=](T x) { return math::hardsigmoid(x, alpha, beta); });
    case jitnorm_eltwise_hardswish:
        return body([=](T x) { return x * math::hardsigmoid(x, alpha, beta); });
    case jitnorm_eltwise_exp:
        return body([](T x) { return math::exp(x); });
    case jitnorm_eltwise_logistic:
        return body([](T x) { return math::logistic(x); });
    case jitnorm_eltwise_tanh:
        return body([](T x) { return math::tanh(x); });
    case jitnorm_eltwise_swish:
        return body([=](T x) { return math::swish(x, alpha); });
    case jitnorm_eltwise_gelu_tanh:
        return body([](T x) { return math::gelu_tanh(x); });
    case jitnorm_eltwise_gelu_erf:
        return body([](T x) { return math::gelu_erf(x); });
    default:
        return;
    }
}

} // namespace jitnorm::impl
