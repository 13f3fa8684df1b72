// SPDX-License-Identifier: Apache-2.0
// log: the natural logarithm, and soft_relu and mish, which use it, defined to the bit as exp.hpp says.
//
//   x = (1 + f) 2^n, sqrt(1/2) <= 1 + f < sqrt 2;  log(x) = n ln 2 + log1p(f)
//   log1p(f) = f - (f^2/2 - s (f^2/2 + z p(z))),  s = f / (2 + f), z = s^2;  p(z) = (2 atanh(s)/s - 2) / z
//   soft_relu(x) = (u < 0 ? 0 : x) + log1p(exp(-|u|)) / alpha,  u = alpha x, kept exactly as high + low
//   mish(x) = x tanh(log(1 + exp(x))), with t = exp(-|x|): for x >= 0  x - x 2t^2 / (2t^2 + 2t + 1),
//             otherwise t (x - x t (t + 1) / (t (t + 1) + t + 2))
//
// Measured against the exact values: log below 1 ulp, soft_relu (while exp(-|u|) is a normal number) and mish below
// 2.5 ulp, float and double alike.
#pragma once

#include <limits>

#include "exp.hpp"
#include "number.hpp"

namespace jitnorm::impl::math {

template <typename T>
struct log_constants;

template <>
struct log_constants<float> {
    static constexpr float SQRT_HALF = 0x1.6a09e6p-1f, SQRT_2_LESS_1 = 0x1.a8279ap-2f;
    static constexpr float P[] = {0x1.2ee8c8p-2f, 0x1.997c22p-2f, 0x1.55555cp-1f}; // z <= 0.02947
    static constexpr float SMALLEST = 0x1p-126f, LARGER = 0x1p+24f;                // makes denormal numbers normal
    static constexpr float LARGER_LOG2 = 24, LN2 = 0x1.62e43p-1f;
};

template <>
struct log_constants<double> {
    static constexpr double SQRT_HALF = 0x1.6a09e667f3bcdp-1, SQRT_2_LESS_1 = 0x1.a827999fcef32p-2;
    static constexpr double P[] = {0x1.2b5f68a50d903p-3, 0x1.39fdcceb4bb45p-3, 0x1.7462b91b8df65p-3,
                                   0x1.c71c62d5e53e0p-3, 0x1.2492492dfd86cp-2, 0x1.9999999995273p-2,
                                   0x1.5555555555558p-1};
    static constexpr double SMALLEST = 0x1p-1022, LARGER = 0x1p+54;
    static constexpr double LARGER_LOG2 = 54, LN2 = 0x1.62e42fefa39efp-1;
};

// x = (1 + f) 2^n for a positive, finite x
template <typename V>
struct split_log {
    V f, n;
};

// For any other x the result is that for 1, which callers do not use: without this, integer operations on the bits of a
// NaN would overflow.
template <typename V>
split_log<V> split_log_of(V any) {
    using constants = log_constants<scalar_of<V>>;
    using bits = exp_constants<scalar_of<V>>;
    const V x = select(any > V(0), any, V(1));
    const auto denormal = x < V(constants::SMALLEST);
    const V normal = select(denormal, x * V(constants::LARGER), x);
    const integer_of<V> shifted = (bits_of(normal) - bits_of(V(constants::SQRT_HALF))) + bits_of(V(1));
    const integer_of<V> n = shifted >> bits::MANTISSA; // with the bias of the exponent still added
    const V mantissa = number_of(bits_of(normal) - ((n - integer_of<V>(bits::BIAS)) << bits::MANTISSA));
    const V power = number_of(bits_of(V(bits::MAGIC)) + n) - V(bits::MAGIC + bits::BIAS);
    return {mantissa - V(1), power - select(denormal, V(constants::LARGER_LOG2), V(0))};
}

// n ln 2 + log(1 + f), sqrt(1/2) <= 1 + f <= sqrt 2
template <typename V>
V log_of_split(const split_log<V> &x) {
    using constants = exp_constants<scalar_of<V>>;
    const V f = x.f, s = f / (V(2) + f), z = s * s, half_square = V(scalar_of<V>(0.5)) * f * f;
    const V rest = fma(s, fma(z, horner(z, log_constants<scalar_of<V>>::P), half_square), x.n * V(constants::LN2_LOW));
    return fma(x.n, V(constants::LN2_HIGH), f - (half_square - rest));
}

// NaN for negative numbers, -infinity for both zeros.
template <typename V>
V log(V x) {
    using limits = std::numeric_limits<scalar_of<V>>;
    const V finite = select(x > V(0), log_of_split(split_log_of(x)),
                            select(x < V(0), V(limits::quiet_NaN()), V(-limits::infinity())));
    return select(x < V(limits::infinity()), finite, x);
}

// log(1 + x), 0 <= x <= 1
template <typename V>
V log1p(V x) {
    const auto doubled = x > V(log_constants<scalar_of<V>>::SQRT_2_LESS_1);
    const V f = select(doubled, V(scalar_of<V>(0.5)) * (x - V(1)), x);
    return log_of_split<V>({f, select(doubled, V(1), V(0))});
}

template <typename V>
V soft_relu(V x, V alpha) {
    const V high = alpha * x, size = fabs(high);
    const V low = select(size < V(exp_constants<scalar_of<V>>::LIMIT), fma(alpha, x, -high), V(0));
    const auto negative = high < V(0);
    const V t = times_exp(V(1), split_exp_of(-size, select(negative, low, -low)));
    return select(negative, V(0), x) + log1p(t) / alpha;
}

template <typename V>
V mish(V x) {
    const V limit = V(exp_constants<scalar_of<V>>::LIMIT), lowest = -limit;
    const V y = maximum(lowest, x); // for smaller x the result is zero, as for `lowest`
    const auto negative = y < V(0);
    const split_exp<V> power = split_exp_of(-fabs(y), V(0));
    const V t = times_exp(V(1), power), more = t + V(1), square = t * t;
    const V numerator = select(negative, t * more, square + square);
    const V denominator = select(negative, fma(t, more, t), numerator + (t + t)) + select(negative, V(2), V(1));
    const V product = fma(-minimum(limit, y), numerator / denominator, y);
    return select(negative, times_exp(product, power), product);
}

// ---- Powers with any exponent: x^b = exp(b log|x|), with the sign of x where b is
// odd. The logarithm is kept as high + low, because exp turns its absolute error into a relative one:
//
//   log(1 + f) = 2 (s + s (z/3 + z^2 q(z))),  s = f / (2 + f), z = s^2;  q(z) = (atanh(s)/s - 1 - z/3) / z^2
//
// Zeros, infinities and negative numbers are as in C: NaN for a negative number with an exponent that is no integer.
// Measured against the exact values: below 0.9 ulp, float and double alike. The post-op's product with alpha is rounded
// once more.

template <typename T>
struct pow_constants;

template <>
struct pow_constants<float> {
    static constexpr float Q[] = {0x1.d80b28p-4f, 0x1.247a24p-3f, 0x1.9999a4p-3f}; // z <= 0.02947
    static constexpr float THIRD = 0x1.555556p-2f, THIRD_LOW = -0x1.555556p-27f;
    static constexpr float INTEGER = 0x1p+23f; // from here on every number is an integer
};

template <>
struct pow_constants<double> {
    static constexpr double Q[] = {0x1.e03a7acf07f85p-5, 0x1.df7ba1f4809c3p-5, 0x1.1118cd67251c5p-4,
                                   0x1.3b1395b82701ep-4, 0x1.745d177ad436ap-4, 0x1.c71c71c6ea5acp-4,
                                   0x1.2492492492522p-3, 0x1.999999999999ap-3};
    static constexpr double THIRD = 0x1.5555555555555p-2, THIRD_LOW = 0x1.5555555555555p-56;
    static constexpr double INTEGER = 0x1p+52;
};

// x rounded to the nearest integer, halfway cases to the even one; the result has the sign of x.
template <typename V>
V round_to_even(V x) {
    const V integers = V(pow_constants<scalar_of<V>>::INTEGER), magic = select(x < V(0), -integers, integers);
    return select(fabs(x) < integers, copysign((x + magic) - magic, x), x);
}

// log(1 + f), sqrt(1/2) <= 1 + f <= sqrt 2
template <typename V>
number_pair<V> careful_log1p(V f) {
    using constants = pow_constants<scalar_of<V>>;
    const V sum = V(2) + f, sum_low = f - (sum - V(2)), inverse = V(1) / sum, s = f * inverse;
    const V s_low = fma(-s, sum_low, fma(-s, sum, f)) * inverse;
    const V z = s * s, z_low = fma(s + s, s_low, fma(s, s, -z));
    const V third = z * V(constants::THIRD);
    const V third_low =
        fma(z, V(constants::THIRD_LOW), fma(z_low, V(constants::THIRD), fma(z, V(constants::THIRD), -third)));
    const V w_low = fma(z * z, horner(z, constants::Q), third_low);
    const V product = s * third, product_low = fma(s, w_low, fma(s_low, third, fma(s, third, -product)));
    const V high = s + product, low = ((s - high) + product) + (s_low + product_low);
    return {high + high, low + low};
}

// log(x) for x >= 0; -infinity for zero
template <typename V>
number_pair<V> careful_log(V x) {
    using constants = exp_constants<scalar_of<V>>;
    using limits = std::numeric_limits<scalar_of<V>>;
    const split_log<V> split = split_log_of(x);
    const number_pair<V> rest = careful_log1p(split.f);
    const V power = split.n * V(constants::LN2_HIGH); // exact
    const auto [sum, lost] = two_sum(power, rest.high);
    const V sum_low = lost + fma(split.n, V(constants::LN2_LOW), rest.low), high = sum + sum_low;
    return {select(x < V(limits::infinity()), select(x > V(0), high, V(-limits::infinity())), x),
            (sum - high) + sum_low};
}

template <typename V>
V pow(V x, V exponent) {
    using limits = std::numeric_limits<scalar_of<V>>;
    const number_pair<V> logarithm = careful_log(fabs(x));
    const V high = exponent * logarithm.high;
    const V low = fma(exponent, logarithm.low, fma(exponent, logarithm.high, -high));
    const V size = select(exponent == V(0), V(1), times_exp(V(1), split_exp_of(high, low)));
    const V half = V(scalar_of<V>(0.5)) * exponent;
    const auto odd = round_to_even(half) != half; // whether an exponent that is an integer is odd
    const V with_sign = select(odd, copysign(size, x), size);
    const auto integer = round_to_even(exponent) == exponent;
    const V not_a_power = select(x > V(-limits::infinity()), V(limits::quiet_NaN()), size);
    return select(integer, with_sign, select(x < V(0), not_a_power, size));
}

} // namespace jitnorm::impl::math
