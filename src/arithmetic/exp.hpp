// SPDX-License-Identifier: Apache-2.0
// exp: the exponential function and its relatives, defined to the bit: fma, multiplication, division, selection and
// integer operations on bit patterns, in the order written here. Selections are written `condition ? a : b` with a
// condition that is false for NaN, so that NaN passes through.
//
//   x = n ln 2 + r, |r| <= ln 2 / 2;  exp(x) = (1 + fraction(r)) 2^n,  fraction = r + r^2 q(r)
//
// Measured against the exact values: exp below 0.9 ulp, logistic and swish below 2 ulp, float and double alike.
#pragma once

#include <bit>
#include <cstdint>

#include "horner.hpp"

namespace jitnorm::impl::math {

template <typename T>
struct exp_constants;

template <>
struct exp_constants<float> {
    using bits = int32_t;
    static constexpr int MANTISSA = 23, BIAS = 127;
    static constexpr float MAGIC = 0x1.8p+23f; // x + MAGIC ends in x rounded to an integer
    static constexpr float LIMIT = 174;        // beyond, exp is 0 or infinity; within, 2^n is two normal factors
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
template <typename T>
struct split_exp {
    T fraction;
    typename exp_constants<T>::bits n;
};

// exp(high + low), |low| below an ulp of high
template <typename T>
split_exp<T> split_exp_of(T high, T low) {
    using constants = exp_constants<T>;
    using bits = typename constants::bits;
    T x = high < -constants::LIMIT ? -constants::LIMIT : high;
    x = x > constants::LIMIT ? constants::LIMIT : x;
    const T shifted = std::fma(x, constants::LOG2_E, constants::MAGIC);
    const T n = shifted - constants::MAGIC;
    const T near = std::fma(n, -constants::LN2_HIGH, x); // exact
    const T rest = std::fma(n, -constants::LN2_LOW, x == high ? low : T(0));
    const T r = near + rest, r_low = (near - r) + rest;
    return {r + std::fma(r * r, horner(r, constants::Q), r_low),
            std::bit_cast<bits>(shifted) - std::bit_cast<bits>(constants::MAGIC)};
}

// 2^n for a normal result
template <typename T>
T power_of_two(typename exp_constants<T>::bits n) {
    return std::bit_cast<T>((n + exp_constants<T>::BIAS) << exp_constants<T>::MANTISSA);
}

// factor * exp(x). Scaling in two steps gives denormal results one rounding and overflows only where it must.
template <typename T>
T times_exp(T factor, const split_exp<T> &e) {
    const auto half = e.n >> 1;
    const T scaled = factor * power_of_two<T>(half);
    return std::fma(scaled, e.fraction, scaled) * power_of_two<T>(e.n - half);
}

template <typename T>
T exp(T x) {
    return times_exp(T(1), split_exp_of(x, T(0)));
}

// factor / (1 + exp(-(high + low))). With exp(..) = (1 + f) 2^n the sum is 1 + 2^n + f 2^n, for n > 0 divided by 2^n:
// the small terms are added first, nothing overflows, and the factor 2^-n is applied in two steps as in times_exp.
template <typename T>
T times_logistic(T factor, T high, T low) {
    using constants = exp_constants<T>;
    const split_exp<T> e = split_exp_of(-high, -low);
    const bool grows = e.n > 0;
    const auto distance = grows ? e.n : -e.n, down = grows ? e.n : 0, half = down >> 1;
    const T power = power_of_two<T>(distance < constants::BIAS ? -distance : 1 - constants::BIAS);
    const T sum = T(1) + std::fma(e.fraction, grows ? T(1) : power, power);
    const T numerator = high < -constants::LIMIT ? T(0) : factor; // factor may be infinite then
    return numerator * power_of_two<T>(-half) / sum * power_of_two<T>(half - down);
}

template <typename T>
T logistic(T x) {
    return times_logistic(T(1), x, T(0));
}

// x / (1 + exp(-alpha x)); the product alpha x is kept exactly, as high + low.
template <typename T>
T swish(T x, T alpha) {
    const T high = alpha * x;
    return times_logistic(x, high, std::fma(alpha, x, -high));
}

} // namespace jitnorm::impl::math
