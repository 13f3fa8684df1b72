// SPDX-License-Identifier: Apache-2.0
// f8: floating-point numbers of 8 bits. Widening is exact. Narrowing a float rounds once, to nearest even, and
// saturates: a magnitude above the largest number, infinity included, becomes the largest number. NaN stays NaN.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace jitnorm::impl {

struct f8_e5m2 { // the upper half of binary16
    uint8_t bits;
};
struct f8_e4m3 { // it has no infinities; all bits of exponent and mantissa set mean NaN
    uint8_t bits;
};

struct f8_layout {
    int mantissa; // bits of the mantissa
    int bias;     // is added to the exponent that is stored
    float largest;
    float nan; // the number that the bits of a NaN would mean if they meant a number: narrowing it gives these bits
};

template <typename F8>
constexpr f8_layout layout_of_f8 = {};
template <>
inline constexpr f8_layout layout_of_f8<f8_e5m2> = {2, 15, 57344, 98304};
template <>
inline constexpr f8_layout layout_of_f8<f8_e4m3> = {3, 7, 448, 480};

namespace f8_detail {

constexpr int FLOAT_MANTISSA = 23, FLOAT_BIAS = 127;

// 2^exponent
constexpr float power_of_two(int exponent) {
    return std::bit_cast<float>(uint32_t(exponent + FLOAT_BIAS) << FLOAT_MANTISSA);
}

} // namespace f8_detail

template <typename F8>
float widen_f8(F8 value) {
    using namespace f8_detail;
    constexpr f8_layout L = layout_of_f8<F8>;
    constexpr uint32_t INFINITE = 0x7f800000u, NOT_A_NUMBER = 0x7fc00000u;
    const uint32_t code = value.bits & 0x7fu, sign = uint32_t(value.bits & 0x80u) << 24;
    const float denormal = float(int32_t(code)) * power_of_two(1 - L.bias - L.mantissa); // exact
    const uint32_t normal = (code << (FLOAT_MANTISSA - L.mantissa)) + (uint32_t(FLOAT_BIAS - L.bias) << FLOAT_MANTISSA);
    uint32_t bits = code < 1u << L.mantissa ? std::bit_cast<uint32_t>(denormal) : normal;
    const bool is_infinite = std::is_same_v<F8, f8_e5m2> && code == 0x7cu;
    if (std::bit_cast<float>(bits) > L.largest) bits = is_infinite ? INFINITE : NOT_A_NUMBER;
    return std::bit_cast<float>(bits | sign);
}

template <typename F8>
F8 narrow_to_f8(float value) {
    using namespace f8_detail;
    constexpr f8_layout L = layout_of_f8<F8>;
    constexpr int DROPPED = FLOAT_MANTISSA - L.mantissa;
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    float magnitude = std::bit_cast<float>(bits & 0x7fffffffu);
    if (magnitude > L.largest) magnitude = L.largest;
    if (value != value) magnitude = L.nan;
    const uint32_t m = std::bit_cast<uint32_t>(magnitude);
    const uint32_t normal =
        (m - (uint32_t(FLOAT_BIAS - L.bias) << FLOAT_MANTISSA) + ((1u << (DROPPED - 1)) - 1) + ((m >> DROPPED) & 1u)) >>
        DROPPED;
    // The last bit of this constant is the smallest step of the type: the addition rounds to a multiple of it.
    constexpr float STEPS = power_of_two(1 - L.bias - L.mantissa + FLOAT_MANTISSA);
    const uint32_t denormal = std::bit_cast<uint32_t>(magnitude + STEPS) - std::bit_cast<uint32_t>(STEPS);
    const uint32_t result = magnitude < power_of_two(1 - L.bias) ? denormal : normal;
    return {uint8_t(result | ((bits >> 24) & 0x80u))};
}

} // namespace jitnorm::impl
