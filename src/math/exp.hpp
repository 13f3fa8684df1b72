// SPDX-License-Identifier: Apache-2.0
// exp: the exponential function and its relatives, defined to the bit. They consist of the four basic operations, fma,
// selections and integer operations on bit patterns, done in the order that is written here. The conditions of
// selections and the order of operands of maximum and minimum are chosen so that NaN gives NaN.
//
//   x = n ln 2 + r, |r| <= ln 2 / 2;  exp(x) = (1 + fraction(r)) 2^n,  fraction = r + r^2 q(r)
//
// Measured against the exact values: exp below 0.9 ulp, elu, logistic and swish below 2 ulp, float and double alike.
#pragma once

#include "number.hpp"

namespace jitnorm::impl::math {

template <typename T>
struct exp_constants;

template <>
struct exp_constants<float> {
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
    static constexpr int MANTISSA = 52, BIAS = 1023;
    static constexpr double MAGIC = 0x1.8p+52;
    static constexpr double LIMIT = 1400;
    static constexpr double LOG2_E = 0x1.71547652b82fep+0;
    static constexpr double LN2_HIGH = 0x1.62e42fefa2p-1;
    static constexpr double LN2_LOW = 0x1.9ef35793c7673p-41;
    static constexpr double Q[] = {0x1.1f7385560be05p-29, 0x1.af4ecd2129492p-26, 0x1.27e4db25ce3adp-22,
                                   0x1.71de01c3fc936p-19, 0x1.a01a01a6ec522p-16, 0x1.a01a01ac0a9eep-13,
                                   0x1.6c16c16c162bp-10,  0x1.111111111009cp-7,  0x1.5555555555556p-5,
                                   0x1.5555555555557p-3,  0x1.0000000000000p-1};
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

// ---- The hyperbolic tangent and the GELU built on it
//
//   |x| < atanh(1/2): x + x^3 p(x^2)         otherwise: 1 - 2 / (exp(2 |x|) + 1), with the sign of x
//   gelu_tanh(x) = x / (1 + exp(-2u)),  u = sqrt(2/pi) (x + 0.044715 x^3)
//
// Measured against the exact values: tanh below 1.5 ulp, gelu_tanh below 2 ulp, float and double alike.

template <typename T>
struct tanh_constants;

template <>
struct tanh_constants<float> {
    static constexpr float P[] = {-0x1.b14598p-8f, 0x1.5d243ap-6f, -0x1.b9a072p-5f, // x^2 <= 0.3024
                                  0x1.110feap-3f, -0x1.555554p-2f};
    // 2 sqrt(2/pi) and that times 0.044715, each as high + low
    static constexpr float LINEAR = 0x1.988454p+0f, LINEAR_LOW = -0x1.857936p-25f;
    static constexpr float CUBIC = 0x1.2444f2p-4f, CUBIC_LOW = 0x1.49b16ap-29f;
    static constexpr float GELU_LOWEST = -12; // below, gelu_tanh is 0
};

template <>
struct tanh_constants<double> {
    static constexpr double P[] = {-0x1.59c4f34be82f3p-16, 0x1.6507dfcccc4cp-14,   -0x1.ec13b85ddf181p-13,
                                   0x1.34c5ec979de7ap-11,  -0x1.7d97d6b475ff6p-10, 0x1.d6d339a17ea17p-9,
                                   -0x1.226e32f223e27p-7,  0x1.664f48771ecefp-6,   -0x1.ba1ba1b9fee8cp-5,
                                   0x1.1111111111033p-3,   -0x1.5555555555555p-2};
    static constexpr double LINEAR = 0x1.9884533d43651p+0, LINEAR_LOW = -0x1.cbc0d30ebfd15p-54;
    static constexpr double CUBIC = 0x1.2444f2a4d8b4bp-4, CUBIC_LOW = -0x1.6c843a29d1c7p-61;
    static constexpr double GELU_LOWEST = -24;
};

template <typename V>
V tanh(V x) {
    constexpr auto ATANH_HALF = scalar_of<V>(0.549306144334054845697622618461852852L);
    const V magnitude = fabs(x), square = x * x;
    const V small = fma(magnitude * square, horner(square, tanh_constants<scalar_of<V>>::P), magnitude);
    const V large = V(1) - V(2) / (exp(magnitude + magnitude) + V(1));
    return copysign(select(magnitude < V(ATANH_HALF), small, large), x);
}

// 2u / x of gelu_tanh
template <typename V>
number_pair<V> gelu_slope_at(V x) {
    using constants = tanh_constants<scalar_of<V>>;
    const V square = x * x, square_low = fma(x, x, -square);
    const V cubic = square * V(constants::CUBIC);
    const V product_low = fma(square, V(constants::CUBIC), -cubic);
    const V cubic_low = fma(square_low, V(constants::CUBIC), fma(square, V(constants::CUBIC_LOW), product_low));
    const auto [high, lost] = two_sum(V(constants::LINEAR), cubic);
    return {high, lost + (cubic_low + V(constants::LINEAR_LOW))};
}

// 2u is computed more exactly than its type can hold, because exp turns an absolute error into a relative one.
template <typename V>
V gelu_tanh(V x) {
    const V lowest = V(tanh_constants<scalar_of<V>>::GELU_LOWEST), highest = -lowest;
    const V y = minimum(highest, maximum(lowest, x));
    const number_pair<V> slope = gelu_slope_at(y);
    const V high = y * slope.high;
    const V low = fma(y, slope.low, fma(y, slope.high, -high));
    return times_logistic(select(x < lowest, y, x), high, low);
}

} // namespace jitnorm::impl::math
