// SPDX-License-Identifier: Apache-2.0
// Conversions, exhaustively where that is possible, against ones written with std::ldexp and std::nearbyint.
#include "math/convert.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace jitnorm::impl {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

struct format { // of a floating-point type
    int bits, mantissa, bias;
    double largest;
    unsigned infinity; // its code, or beyond all codes
    bool saturates;    // values beyond the range become the largest number
};
constexpr format F16 = {16, 10, 15, 65504, 0x7c00, false}, BF16 = {16, 7, 127, 0x1.fep127, 0x7f80, false};
constexpr format E5M2 = {8, 2, 15, 57344, 0x7c, true}, E4M3 = {8, 3, 7, 448, 0x80, true};

double decode(format f, unsigned bits) {
    const unsigned sign_bit = 1U << (f.bits - 1);
    const double sign = bits & sign_bit ? -1 : 1;
    const int code = int(bits & (sign_bit - 1)), exponent = code >> f.mantissa,
              mantissa = code - (exponent << f.mantissa);
    if (unsigned(code) == f.infinity) return sign * INFINITE;
    const double value = exponent == 0 ? std::ldexp(mantissa, 1 - f.bias - f.mantissa)
                                       : std::ldexp(mantissa + (1 << f.mantissa), exponent - f.bias - f.mantissa);
    return value > f.largest ? std::nan("") : sign * value;
}

// The value nearest to x, ties to the even mantissa.
double round_to(format f, double x) {
    if (std::isnan(x) || x == 0) return x;
    const double beyond = std::copysign(f.saturates ? f.largest : INFINITE, x);
    if (std::isinf(x)) return beyond;
    const double step = std::ldexp(1, std::max(std::ilogb(x), 1 - f.bias) - f.mantissa);
    const double rounded = std::nearbyint(x / step) * step;
    return std::fabs(rounded) > f.largest ? beyond : rounded;
}

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <typename Stored>
void expect_all_codes_widen_and_return(format f) {
    for (unsigned bits = 0; bits < 1U << f.bits; ++bits) {
        const Stored value = {decltype(Stored::bits)(bits)};
        const double exact = decode(f, bits);
        ASSERT_TRUE(same(double(widen<float>(value)), exact)) << std::hex << bits;
        ASSERT_TRUE(same(widen<double>(value), exact)) << std::hex << bits;
        for (const Stored back : {narrow<Stored>(widen<float>(value)), narrow<Stored>(widen<double>(value))})
            if (std::isfinite(exact))
                ASSERT_EQ(back.bits, bits);
            else
                ASSERT_TRUE(same(decode(f, back.bits), round_to(f, exact))) << std::hex << bits;
    }
}

TEST(convert, every_code) {
    expect_all_codes_widen_and_return<f16>(F16);
    expect_all_codes_widen_and_return<bf16>(BF16);
    expect_all_codes_widen_and_return<f8_e5m2>(E5M2);
    expect_all_codes_widen_and_return<f8_e4m3>(E4M3);
}

// Every float that has one of the upper 20 bits' patterns, and its neighbours: all values, all ties, all denormal
// results, and both sides of where numbers become too large. f16 on the way to f8 would round the upper neighbours of
// ties twice. Then floats of all sorts.
template <typename Stored>
void expect_floats_narrowed(format f) {
    const auto expect = [f](uint64_t bits) {
        const float x = std::bit_cast<float>(uint32_t(bits));
        ASSERT_TRUE(same(decode(f, narrow<Stored>(x).bits), round_to(f, double(x)))) << std::hexfloat << x;
    };
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 0x1000)
        for (const uint64_t nearby : {0, 1, 0xfff}) expect(bits + nearby);
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 997) expect(bits);
}

TEST(convert, floats_to_f16) { expect_floats_narrowed<f16>(F16); }
TEST(convert, floats_to_bf16) { expect_floats_narrowed<bf16>(BF16); }
TEST(convert, floats_to_f8_e5m2) { expect_floats_narrowed<f8_e5m2>(E5M2); }
TEST(convert, floats_to_f8_e4m3) { expect_floats_narrowed<f8_e4m3>(E4M3); }

TEST(convert, nan_becomes_quiet) {
    const float signalling = std::bit_cast<float>(0x7f800001u);
    EXPECT_EQ(narrow<bf16>(signalling).bits & 0x7fc0, 0x7fc0);
    EXPECT_EQ(narrow<f16>(signalling).bits & 0x7e00, 0x7e00);
}

// A double is rounded to float on its way: twice, which shows at a midpoint of bf16.
TEST(convert, double_goes_through_float) {
    const double above_midpoint = 1 + 0x1p-8 + 0x1p-40;
    EXPECT_EQ(narrow<bf16>(above_midpoint).bits, 0x3f80);
    EXPECT_EQ(narrow<float>(above_midpoint), 1 + 0x1p-8f);
    EXPECT_EQ(narrow<f16>(1e300).bits, 0x7c00);
    EXPECT_EQ(narrow<f8_e5m2>(-1e300).bits, 0xfb);
}

template <typename Integer, typename T>
void expect_integers() {
    constexpr double lowest = std::numeric_limits<Integer>::min(), highest = std::numeric_limits<Integer>::max();
    for (double x = -300; x <= 300; x += 1.0 / 64)
        for (const T value : {T(x), std::nextafter(T(x), T(-INFINITE)), std::nextafter(T(x), T(INFINITE))})
            ASSERT_EQ(double(narrow<Integer>(value)), std::clamp(std::nearbyint(double(value)), lowest, highest))
                << value;
    for (const T size : {T(1e10), std::numeric_limits<T>::max(), T(INFINITE)}) {
        EXPECT_EQ(narrow<Integer>(size), highest);
        EXPECT_EQ(narrow<Integer>(-size), lowest);
    }
    EXPECT_EQ(narrow<Integer>(std::numeric_limits<T>::quiet_NaN()), 0);
    EXPECT_EQ(narrow<Integer>(-std::numeric_limits<T>::quiet_NaN()), 0);
}

TEST(convert, to_integers) {
    expect_integers<int8_t, float>();
    expect_integers<int8_t, double>();
    expect_integers<uint8_t, float>();
    expect_integers<uint8_t, double>();
}

TEST(convert, integers_widen) {
    for (int i = -128; i < 128; ++i) ASSERT_EQ(widen<float>(int8_t(i)), float(i));
    for (int i = 0; i < 256; ++i) ASSERT_EQ(widen<double>(uint8_t(i)), double(i));
    EXPECT_EQ(widen<float>(int32_t(16777217)), 16777216.0f); // to nearest even
    EXPECT_EQ(widen<double>(int32_t(16777217)), 16777217.0);
}

// Three operations in place of a conversion, where that has the same result.
TEST(convert, normalized_values_are_rounded_as_they_are_stored) {
    for (uint32_t high = 0; high < 0x10000; ++high)
        for (const uint32_t low : {0x0000U, 0x0001U, 0x1234U, 0x7fffU, 0x8000U, 0x8001U, 0xc000U, 0xffffU}) {
            const auto x = std::bit_cast<float>(high << 16 | low);
            ASSERT_TRUE(same(double(round_normalized<f16>(x)), double(widen<float>(narrow<f16>(x))))) << std::hex << x;
            const double rounded = round_normalized<bf16>(x), stored = widen<float>(narrow<bf16>(x));
            if (std::isnan(x)) {
                ASSERT_TRUE(std::isnan(rounded));
            }
            if (x != 0 && !(std::fabs(x) >= 0x1p-126F && std::fabs(x) < 0x1p111F)) continue;
            ASSERT_TRUE(same(rounded, stored)) << std::hexfloat << x;
        }
}

} // namespace
} // namespace jitnorm::impl
