// SPDX-License-Identifier: Apache-2.0
// number: the elementary operations of which the functions of this folder consist. The functions are templates over the
// number type V, so that each is written once. With V = float or double they compute. A code generator calls them with
// a V of its own, which records the operations. Such a V has the same elementary operations in its own namespace, the
// four arithmetic operators, and comparisons, whose results are passed to select().
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace jitnorm::impl::math {

template <typename V>
struct number_traits {
    using scalar = typename V::scalar;   // float or double
    using integer = typename V::integer; // of the same size as the scalar
};
template <std::floating_point T>
struct number_traits<T> {
    using scalar = T;
    using integer = std::conditional_t<std::is_same_v<T, double>, int64_t, int32_t>;
};

template <typename V>
using scalar_of = typename number_traits<V>::scalar;
template <typename V>
using integer_of = typename number_traits<V>::integer;

// condition ? a : b
template <typename Value>
requires std::is_arithmetic_v<Value> Value select(bool condition, Value a, Value b) { return condition ? a : b; }

// As the max and min instructions of x86: b if a or b is NaN, and if both are zero.
template <std::floating_point T>
T maximum(T a, T b) {
    return a > b ? a : b;
}
template <std::floating_point T>
T minimum(T a, T b) {
    return a < b ? a : b;
}

using std::copysign;
using std::fabs;
using std::fma;
using std::sqrt;

// The bit pattern as an integer of the same size, and back.
template <std::floating_point T>
integer_of<T> bits_of(T x) {
    return std::bit_cast<integer_of<T>>(x);
}
inline float number_of(int32_t bits) { return std::bit_cast<float>(bits); }
inline double number_of(int64_t bits) { return std::bit_cast<double>(bits); }

// ---- The way in which all functions of this folder evaluate polynomials. The coefficients in exp.hpp, log.hpp and
// erf.hpp were computed for this library, with 60 digits, and rounded once: each polynomial interpolates its function
// at the Chebyshev nodes of the interval that is written beside it.

// coefficients[0] x^(N-1) + ... + coefficients[N-1], by N-1 fma
template <typename V, size_t N>
V horner(V x, const scalar_of<V> (&coefficients)[N]) {
    V sum = coefficients[0];
    for (size_t i = 1; i < N; ++i) sum = fma(sum, x, V(coefficients[i]));
    return sum;
}

// A number that is kept more exactly than its type can: high + low, |low| below an ulp of high.
template <typename V>
struct number_pair {
    V high, low;
};

// a + b, and the error of the addition (Knuth's two-sum).
template <typename V>
number_pair<V> two_sum(V a, V b) {
    const V sum = a + b, b_in_sum = sum - a;
    return {sum, (a - (sum - b_in_sum)) + (b - b_in_sum)};
}

} // namespace jitnorm::impl::math
