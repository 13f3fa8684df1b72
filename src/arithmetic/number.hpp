// SPDX-License-Identifier: Apache-2.0
// number: the elementary operations that the functions of this folder consist of. The functions are templates over the
// number type V, so that they exist once: V = float or double computes, and a generator of code brings a V of its own
// that records the operations. Such a V has the same functions, found by its namespace, the operators + - *
// / and the comparisons, whose results go to select().
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace jitnorm::impl::math {

template <typename V>
struct number_traits {
    using scalar = typename V::scalar;   // float or double
    using integer = typename V::integer; // as wide
};
template <>
struct number_traits<float> {
    using scalar = float;
    using integer = int32_t;
};
template <>
struct number_traits<double> {
    using scalar = double;
    using integer = int64_t;
};

template <typename V>
using scalar_of = typename number_traits<V>::scalar;
template <typename V>
using integer_of = typename number_traits<V>::integer;

// condition ? a : b
template <typename Value>
requires std::is_arithmetic_v<Value> Value select(bool condition, Value a, Value b) { return condition ? a : b; }

// As x86's max and min do it: b where one of the two is NaN, and where both are zero.
template <std::floating_point T>
T maximum(T a, T b) {
    return a > b ? a : b;
}
template <std::floating_point T>
T minimum(T a, T b) {
    return a < b ? a : b;
}

template <std::floating_point T>
T fma(T a, T b, T c) {
    return std::fma(a, b, c);
}
template <std::floating_point T>
T absolute(T x) {
    return std::fabs(x);
}
template <std::floating_point T>
T square_root(T x) {
    return std::sqrt(x);
}
template <std::floating_point T>
T copy_sign(T magnitude, T sign) {
    return std::copysign(magnitude, sign);
}

// The bit pattern as an integer of the same size, and back.
template <std::floating_point T>
integer_of<T> bits_of(T x) {
    return std::bit_cast<integer_of<T>>(x);
}
inline float number_of(int32_t bits) { return std::bit_cast<float>(bits); }
inline double number_of(int64_t bits) { return std::bit_cast<double>(bits); }

} // namespace jitnorm::impl::math
