// SPDX-License-Identifier: Apache-2.0
// erf: the GELU built on the error function, defined to the bit as exp.hpp says. With the normal distribution function
// Phi(x) = (1 + erf(x / sqrt 2)) / 2 and t = |x|,
//
//   t < 1/2:    gelu_erf(x) = x (1/2 + x h(x^2))
//   otherwise:  gelu_erf(x) = max(x, 0) - t Phi(-t)
//               t Phi(-t) = w p(2w - 7/8) exp(-t^2 / 2),  w = t / (t + K)
//
// whose last line has no cancellation: p is smooth from t = 0 to infinity.
// Measured against the exact values: below 1.7 ulp, float and double alike.
#pragma once

#include <iterator>

#include "exp.hpp"
#include "number.hpp"

namespace jitnorm::impl::math {

template <typename T>
struct erf_constants;

template <>
struct erf_constants<float> {
    static constexpr float H[] = {-0x1.2abc1cp-10f, 0x1.46a646p-7f, -0x1.10584p-4f, 0x1.988454p-2f}; // x^2 <= 0.2501
    static constexpr float K = 5.125f, CENTER = 0.875f, LARGEST = 15;                                // beyond, 0
    static constexpr float P[] = {0x1.54216ap-11f, -0x1.33183cp-10f, -0x1.1e0ca2p-8f, 0x1.f33afp-6f,
                                  -0x1.9a6524p-4f, 0x1.dfa24ap-3f,   -0x1.b87a1cp-2f}; // 0 <= t <= LARGEST
    static constexpr float P_LAST[] = {0x1.4b6c76p-1f, -0x1.a0d812p-1f, 0x1.b9ccap-1f},
                           P_LAST_LOW[] = {0x1.c6e40ep-26f, 0x1.facc94p-27f, 0x1.67f7fap-28f};
};

template <>
struct erf_constants<double> {
    static constexpr double H[] = {-0x1.53092b2e105dp-25, 0x1.654a301c2a6bfp-21, -0x1.3ce8bd4dadd49p-17,
                                   0x1.e42b0fb08b88p-14,  -0x1.37403f734802p-10, 0x1.46d042977a3c5p-7,
                                   -0x1.1058377e2cfdp-4,  0x1.9884533d43651p-2};
    static constexpr double K = 5.75, CENTER = 0.875, LARGEST = 39; // beyond, 0
    static constexpr double P[] = {0x1.194c017cfdfb9p-30,  -0x1.4f82e2b5f35cap-30, -0x1.8e26c3b458d8fp-27,
                                   0x1.0db48f47b5c35p-26,  0x1.7a3652a40c8a6p-24,  -0x1.5eef3898d55dp-23,
                                   -0x1.37512b9f6db87p-21, 0x1.ddaf1da7b152p-20,   0x1.7821ef9991f06p-19,
                                   -0x1.3f69c1c6f59e5p-16, 0x1.0cb44ce6a1f32p-17,  0x1.520364e4dc318p-13,
                                   -0x1.06400fc5b18d1p-11, -0x1.badcdda6ce234p-14, 0x1.8dca2001963c7p-8,
                                   -0x1.c4cd31ced123ap-6,  0x1.4c3be90a55019p-4,   -0x1.77bdaa6b0c4d8p-3,
                                   0x1.5cf7bcf7ef482p-2,   -0x1.1267b0b63acabp-1}; // 0 <= t <= LARGEST
    static constexpr double P_LAST[] = {0x1.736676d29441dp-1, -0x1.b45400d6a2128p-1, 0x1.be6001b555c33p-1},
                            P_LAST_LOW[] = {0x1.c2e1e263f1c65p-57, 0x1.a1260e349eca4p-56, 0x1.2bc13c32e5d95p-55};
};

// sum * x + constant, a step of Horner's rule that keeps in `low` the rounding error of `high`.
template <typename V>
number_pair<V> careful_step(const number_pair<V> &sum, V x, const number_pair<V> &constant) {
    const V product = sum.high * x;
    const auto [high, lost] = two_sum(constant.high, product);
    return {high, fma(sum.low, x, lost + (fma(sum.high, x, -product) + constant.low))};
}

// t / (t + k)
template <typename V>
number_pair<V> careful_quotient(V t, V k) {
    const auto [sum, lost] = two_sum(t, k);
    const V inverse = V(1) / sum, w = t * inverse;
    return {w, fma(-w, lost, fma(-w, sum, t)) * inverse};
}

// t Phi(-t) exp(t^2 / 2) for 0 <= t <= LARGEST. The derivative of p, by which w.low corrects p, need not be exact.
template <typename V>
number_pair<V> scaled_tail(V t) {
    using constants = erf_constants<scalar_of<V>>;
    const number_pair<V> w = careful_quotient(t, V(constants::K));
    const V v = fma(V(2), w.high, V(-constants::CENTER));
    number_pair<V> p = {horner(v, constants::P), V(0)};
    V derivative = p.high;
    for (size_t i = 0; i < std::size(constants::P_LAST); ++i) {
        if (i > 0) derivative = fma(derivative, v, p.high);
        p = careful_step(p, v, {V(constants::P_LAST[i]), V(constants::P_LAST_LOW[i])});
    }
    const V p_low = fma(w.low + w.low, derivative, p.low), high = w.high * p.high;
    return {high, fma(w.low, p.high, fma(w.high, p_low, fma(w.high, p.high, -high)))};
}

template <typename V>
V gelu_erf(V x) {
    using constants = erf_constants<scalar_of<V>>;
    const V half = V(scalar_of<V>(0.5));
    const V t = minimum(V(constants::LARGEST), fabs(x));
    const number_pair<V> tail = scaled_tail(t);
    const V square = t * t, square_low = fma(t, t, -square);
    const V lacking = times_exp(tail.high, tail.low, split_exp_of(-half * square, -half * square_low));
    const V far = select(x < V(0), V(0), x) - lacking;
    const V near = x * fma(x, horner(x * x, constants::H), half);
    return select(t < half, near, far);
}

} // namespace jitnorm::impl::math
