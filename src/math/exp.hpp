// SPDX-License-Identifier: Apache-2.0
// exp: the exponential function and its relatives, defined to the bit. They consist of the four basic operations, fma,
// selections and integer operations on bit patterns, done in the order that is written here. The conditions of
// selections and the order of operands of maximum and minimum are chosen so that NaN gives NaN.
//
//   x = n ln 2 + r, |r| <= ln 2 / 2;  exp(x) = (1 + fraction(r)) 2^n,  fraction = r + r^2 q(r)
//
// Measured against the exact values: exp below 0.9 ulp, elu, logistic and swish below 2 ulp, float and double alike.
#pragma once

#include "horner.hpp"

namespace jitnorm::impl::math {

template <typename T>
struct exp_constants;

template <>
struct exp_constants<float> {
    using bits = int32_t;
    static constexpr int MANTISSA = 23, BIAS = 127;
    static constexpr float MAGIC = 0x1.8p+23f; // the last bits of x + MAGIC are x rounded to an integer
    // If |x| > LIMIT, exp is 0 or infinity; else 2^n is a product of two normal numbers.
    static constexpr float LIMIT = 174;
    static constexpr float LOG2_E = 0x1.715476p+0f;
    static constexpr float LN2_HIGH = 0x1.62e4p-1f; // n * LN2_HIGH is exact
    static constexpr float LN2_LOW = 0x1.7f7d1cp-20f;
    static constexpr float Q[] = {0x1.a125f6p-13f, 0x1.6d444ap-10f, 0x1.1110ep-7f, // |r| <= 0.348
                                  0x1.5554e8p-5f,  0x1.555556p-3f,  0x1p-1f};
};

template <>
struct exp_constants<double> {
    using bits = int64_t;
    static constexpr int MANTISSA = 52, BIAS = 1023;
    static constexpr double MAGIC = 0x1.8p+52;
    static constexpr double LIMIT = 1400;
    static constexpr double LOG2_E = 0x1.71547652b82fep+0;
    static constexpr double LN2_HIGH = 0x1.62e42fefa2p-1;
    static constexpr double LN2_LOW = 0x1.9ef35793c7673p-41;
    static constexpr double Q[] = {0x1.1f7385560be05p-29,
                                   0x1.af4ecd2129492p-26,
                                   0x1.27e4db25ce3adp-22,
                                   0x1.71de01c3fc936p-19,
                                   0x1.a01a01a6ec522p-16,
                                   0x1.a01a01ac0a9eep-13,
                                   0x1.6c16c16c162bp-10,
                                   0x1.111111111009cp-7,
                                   0x1.5555555555556p-5,
                                   0x1.5555555555557p-3,
                                   0x1p-1};
};

// exp(x) = (1 + fraction) * 2^n
template <typename V>
struct split_exp {
    V fraction;
    integer_of<V> n;
};

// exp(high + low), |low| below an ulp of high
template <typename V>
split_exp<V> split_exp_of(V high, V low) {
    using constants = exp_constants<scalar_of<V>>;
    const V x = minimum(V(constants::LIMIT), maximum(V(-constants::LIMIT), high));
    const V shifted = fma(x, V(constants::LOG2_E), V(constants::MAGIC));
    const V n = shifted - V(constants::MAGIC);
    const V near = fma(n, V(-constants::LN2_HIGH), x); // exact
    const V rest = fma(n, V(-constants::LN2_LOW), select(x == high, low, V(0)));
    const V r = near + rest, r_low = (near - r) + rest;
    return {r + fma(r * r, horner(r, constants::Q), r_low), bits_of(shifted) - bits_of(V(constants::MAGIC))};
}

// 2^n for a normal result
template <typename V>
V power_of_two(integer_of<V> n) {
    using constants = exp_constants<scalar_of<V>>;
    return number_of((n + integer_of<V>(constants::BIAS)) << constants::MANTISSA);
}

// factor * exp(x). The power of two is applied in two steps, so that a denormal result is rounded once and only a
// result that is too large overflows.
template <typename V>
V times_exp(V factor, const split_exp<V> &e) {
    const integer_of<V> half = e.n >> 1;
    const V scaled = factor * power_of_two<V>(half);
    return fma(scaled, e.fraction, scaled) * power_of_two<V>(e.n - half);
}

// (high + low) * exp(x), |low| below an ulp of high
template <typename V>
V times_exp(V high, V low, const split_exp<V> &e) {
    const integer_of<V> half = e.n >> 1;
    const V factor = power_of_two<V>(half), scaled = high * factor;
    const V added = fma(scaled, e.fraction, fma(low, e.fraction, low) * factor);
    return (scaled + added) * power_of_two<V>(e.n - half);
}

template <typename V>
V exp(V x) {
    return times_exp(V(1), split_exp_of(x, V(0)));
}

// exp(x) - 1 for x <= 0, without cancellation
template <typename V>
V expm1_of_negative(V x) {
    constexpr auto LOWEST = scalar_of<V>(-40); // below, the result is -1
    const split_exp<V> e = split_exp_of(maximum(V(LOWEST), x), V(0));
    const V power = power_of_two<V>(e.n);
    return fma(e.fraction, power, power - V(1));
}

template <typename V>
V elu(V x, V alpha) {
    return select(x > V(0), x, alpha * expm1_of_negative(minimum(V(0), x)));
}

// factor / (1 + exp(-(high + low))). With exp(..) = (1 + f) 2^n the divisor is 1 + 2^n + f 2^n. For n > 0 it is divided
// by 2^n, so that it cannot overflow, and the factor 2^-n is applied in two steps as in times_exp. The two smallest
// terms are added first.
template <typename V>
V times_logistic(V factor, V high, V low) {
    using constants = exp_constants<scalar_of<V>>;
    using integer = integer_of<V>;
    const split_exp<V> e = split_exp_of(-high, -low);
    const auto grows = e.n > integer(0);
    const integer distance = select(grows, e.n, -e.n), down = select(grows, e.n, integer(0)), half = down >> 1;
    const integer smallest = integer(1 - constants::BIAS);
    const V power = power_of_two<V>(select(distance < integer(constants::BIAS), -distance, smallest));
    const V sum = V(1) + fma(e.fraction, select(grows, V(1), power), power);
    const V numerator = select(high < V(-constants::LIMIT), V(0), factor); // factor may be infinite then
    return numerator * power_of_two<V>(-half) / sum * power_of_two<V>(half - down);
}

template <typename V>
V logistic(V x) {
    return times_logistic(V(1), x, V(0));
}

// x / (1 + exp(-alpha x)); the product alpha x is kept exactly, as high + low.
template <typename V>
V swish(V x, V alpha) {
    const V high = alpha * x;
    return times_logistic(x, high, fma(alpha, x, -high));
}

} // namespace jitnorm::impl::math
