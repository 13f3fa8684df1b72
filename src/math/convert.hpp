// SPDX-License-Identifier: Apache-2.0
// convert: conversions between the types in which tensors are stored and the compute type T (float or double), written
// without the conversion instructions of any processor. Widening is exact, except that s32 to float rounds to nearest
// even. Narrowing rounds once, to nearest even; but a double that becomes f16, bf16 or f8 becomes a float first, as it
// does in generated code.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

// ---- Floating-point numbers of 8 bits. Widening is exact. Narrowing a float rounds once, to nearest even, and
// saturates: a magnitude above the largest number, infinity included, becomes the largest number. NaN stays NaN.

struct f8_layout {
    int mantissa; // bits of the mantissa
    int bias;     // is added to the exponent that is stored
    float largest;
    float nan; // the number that the bits of a NaN would mean if they meant a number: narrowing it gives these bits
};

struct f8_e5m2 { // the upper half of binary16
    uint8_t bits;
    static constexpr f8_layout LAYOUT = {2, 15, 57344, 98304};
};
struct f8_e4m3 { // it has no infinities; all bits of exponent and mantissa set mean NaN
    uint8_t bits;
    static constexpr f8_layout LAYOUT = {3, 7, 448, 480};
};

// ---- The C++ types of elements, by the names of their data types.

struct f16 { // IEEE binary16
    uint16_t bits;
};
struct bf16 { // the upper half of binary32
    uint16_t bits;
};
using f32 = float;
using f64 = double;
using s32 = int32_t;
using s8 = int8_t;
using u8 = uint8_t;

// A float has 24 bits, bf16 8: x * (2^16 + 1) has 16 bits more in front of the last one than x has.
constexpr float BF16_SPLITTER = 65537;

namespace convert_detail {

constexpr int FLOAT_MANTISSA = 23, FLOAT_BIAS = 127;

// 2^exponent
constexpr float power_of_two(int exponent) {
    return std::bit_cast<float>(uint32_t(exponent + FLOAT_BIAS) << FLOAT_MANTISSA);
}

// value / 2^shift, rounded to nearest even
inline uint32_t shift_and_round(uint32_t value, int shift) {
    const uint32_t below_half = (1u << (shift - 1)) - 1, odd = (value >> shift) & 1u;
    return (value + below_half + odd) >> shift;
}

// The bits of a number that is not negative in a type with fewer bits of the mantissa and another bias. A carry out of
// the largest exponent gives the bits that follow.
template <int MANTISSA, int BIAS>
uint32_t round_magnitude(float magnitude) {
    const uint32_t normal =
        shift_and_round(std::bit_cast<uint32_t>(magnitude) - (uint32_t(FLOAT_BIAS - BIAS) << FLOAT_MANTISSA),
                        FLOAT_MANTISSA - MANTISSA);
    // The last bit of this constant is the smallest step of the type: the addition rounds to a multiple of it.
    constexpr float STEPS = power_of_two(1 - BIAS - MANTISSA + FLOAT_MANTISSA);
    const uint32_t denormal = std::bit_cast<uint32_t>(magnitude + STEPS) - std::bit_cast<uint32_t>(STEPS);
    return magnitude < power_of_two(1 - BIAS) ? denormal : normal;
}

template <typename F8>
float widen(F8 value) {
    constexpr f8_layout L = F8::LAYOUT;
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
    constexpr f8_layout L = F8::LAYOUT;
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    float magnitude = std::bit_cast<float>(bits & 0x7fffffffu);
    if (magnitude > L.largest) magnitude = L.largest;
    if (value != value) magnitude = L.nan;
    return {uint8_t(round_magnitude<L.mantissa, L.bias>(magnitude) | ((bits >> 24) & 0x80u))};
}

inline float widen(bf16 value) { return std::bit_cast<float>(uint32_t(value.bits) << 16); }

inline float widen(f16 value) {
    const uint32_t magnitude = value.bits & 0x7fffu, sign = uint32_t(value.bits & 0x8000u) << 16;
    uint32_t bits = (magnitude << 13) + (112u << 23);            // the exponent's bias grows from 15 to 127
    if (magnitude >= 0x7c00u) bits += 112u << 23;                // infinity, NaN
    const float denormal = float(int32_t(magnitude)) * 0x1p-24f; // exact
    if (magnitude < 0x0400u) bits = std::bit_cast<uint32_t>(denormal);
    return std::bit_cast<float>(bits | sign);
}

inline bf16 narrow_to_bf16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
    const uint32_t quiet_nan = (bits >> 16) | 0x40u;
    return {uint16_t(magnitude > 0x7f800000u ? quiet_nan : shift_and_round(bits, 16))};
}

inline f16 narrow_to_f16(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
    uint32_t result = round_magnitude<10, 15>(std::bit_cast<float>(magnitude)); // a carry gives infinity, as it should
    if (magnitude >= 0x47800000u) result = 0x7c00u;                             // 2^16 and above
    if (magnitude > 0x7f800000u) result = 0x7e00u;                              // NaN
    return {uint16_t(result | ((bits >> 16) & 0x8000u))};
}

template <std::integral Integer, std::floating_point T>
Integer round_and_saturate(T value) {
    constexpr T lowest = T(std::numeric_limits<Integer>::min()), highest = T(std::numeric_limits<Integer>::max());
    constexpr T magic = T(1.5) / std::numeric_limits<T>::epsilon(); // its last bit is 1: adding it rounds to an integer
    T clamped = value > lowest ? value : lowest;                    // NaN becomes `lowest`
    clamped = clamped < highest ? clamped : highest;
    const int rounded = int((clamped + magic) - magic);
    return Integer(value == value ? rounded : 0);
}

} // namespace convert_detail

template <std::floating_point T, typename Stored>
T widen(Stored value) {
    if constexpr (std::is_arithmetic_v<Stored>)
        return T(value);
    else
        return T(convert_detail::widen(value));
}

template <typename Stored, std::floating_point T>
Stored narrow(T value) {
    if constexpr (std::is_same_v<Stored, bf16>)
        return convert_detail::narrow_to_bf16(float(value));
    else if constexpr (std::is_same_v<Stored, f16>)
        return convert_detail::narrow_to_f16(float(value));
    else if constexpr (std::is_same_v<Stored, f8_e5m2> || std::is_same_v<Stored, f8_e4m3>)
        return convert_detail::narrow_to_f8<Stored>(float(value));
    else if constexpr (std::is_integral_v<Stored>)
        return convert_detail::round_and_saturate<Stored>(value);
    else
        return Stored(value);
}

// The nearest element of the type; for bf16 this is narrow() for magnitudes from 2^-126 to 2^111. Beyond, it is the
// result of these three operations, which take less time than a conversion.
template <typename Stored, std::floating_point T>
T round_normalized(T value) {
    if constexpr (std::is_same_v<Stored, bf16>) {
        const auto x = float(value);
        const float larger = x * BF16_SPLITTER, difference = larger - x;
        return T(larger - difference);
    } else {
        return widen<T>(narrow<Stored>(value));
    }
}

// Names a type without a value of it.
template <typename Stored>
using stored_as = std::type_identity<Stored>;

// Calls body(stored_as<Stored>()), where Stored is the C++ type that holds an element of the data type.
template <typename Body>
decltype(auto) visit_data_type(jitnorm_data_type_t type, Body &&body) {
    switch (type) {
#define DATA_TYPE(name, ...)                                                                                           \
    case jitnorm_##name:                                                                                               \
        return body(stored_as<name>());
#include "../../tables/data_types.inc"
    default:
        return body(stored_as<f32>());
    }
}

} // namespace jitnorm::impl
