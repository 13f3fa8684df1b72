// SPDX-License-Identifier: Apache-2.0
// Conversions, exhaustively where that is possible, against ones written with std::ldexp and std::nearbyint.
#include "math/convert.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace jitnorm::impl {
namespace {

constexpr double INF = std::numeric_limits<double>::infinity();

struct format { // of a 16-bit floating-point type
    int mantissa, bias, exponents;
};
constexpr format F16 = {10, 15, 31}, BF16 = {7, 127, 255};

double decode(format f, unsigned bits) {
    const double sign = bits & 0x8000u ? -1 : 1;
    const int exponent = int(bits & 0x7fffu) >> f.mantissa, mantissa = int(bits & ((1u << f.mantissa) - 1));
    if (exponent == f.exponents) return mantissa ? std::nan("") : sign * INF;
    if (exponent == 0) return sign * std::ldexp(mantissa, 1 - f.bias - f.mantissa);
    return sign * std::ldexp(mantissa + (1 << f.mantissa), exponent - f.bias - f.mantissa);
}

// The value nearest to x, ties to the even mantissa.
double round_to(format f, double x) {
    if (!std::isfinite(x) || x == 0) return x;
    const int exponent = std::max(std::ilogb(x), 1 - f.bias);
    const double step = std::ldexp(1, exponent - f.mantissa), rounded = std::nearbyint(x / step) * step;
    return std::fabs(rounded) >= std::ldexp(1, f.exponents - f.bias) ? std::copysign(INF, x) : rounded;
}

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <typename Stored>
void expect_all_values_widen_and_return(format f) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const Stored value = {uint16_t(bits)};
        const double exact = decode(f, bits);
        ASSERT_TRUE(same(double(widen<float>(value)), exact)) << std::hex << bits;
        ASSERT_TRUE(same(widen<double>(value), exact)) << std::hex << bits;
        if (std::isnan(exact)) {
            ASSERT_TRUE(std::isnan(decode(f, narrow<Stored>(widen<float>(value)).bits))) << std::hex << bits;
        } else {
            ASSERT_EQ(narrow<Stored>(widen<float>(value)).bits, bits);
            ASSERT_EQ(narrow<Stored>(widen<double>(value)).bits, bits);
        }
    }
}

TEST(convert, every_f16_value) { expect_all_values_widen_and_return<f16>(F16); }
TEST(convert, every_bf16_value) { expect_all_values_widen_and_return<bf16>(BF16); }

template <typename Stored>
void expect_narrowed(format f, float x) {
    ASSERT_TRUE(same(decode(f, narrow<Stored>(x).bits), round_to(f, double(x)))) << std::hexfloat << x;
}

// Between each value and the next: the midpoint, its neighbours among the floats, and those of the values.
template <typename Stored>
void expect_midpoints(format f) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const double value = decode(f, bits);
        if (!std::isfinite(value)) continue;
        const double next = decode(f, bits + 1);
        const double step = std::isfinite(next) ? next - value : std::copysign(0, value);
        for (const float x : {float(value), float(value + step / 2)})
            for (const float nearby : {x, std::nextafter(x, -float(INF)), std::nextafter(x, float(INF))})
                expect_narrowed<Stored>(f, nearby);
    }
}

TEST(convert, f16_midpoints_and_neighbours) { expect_midpoints<f16>(F16); }
TEST(convert, bf16_midpoints_and_neighbours) { expect_midpoints<bf16>(BF16); }

template <typename Stored>
void expect_sampled_floats(format f) {
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 997) {
        const float x = std::bit_cast<float>(uint32_t(bits));
        expect_narrowed<Stored>(f, x);
    }
}

TEST(convert, floats_to_f16) { expect_sampled_floats<f16>(F16); }
TEST(convert, floats_to_bf16) { expect_sampled_floats<bf16>(BF16); }

TEST(convert, overflow_to_16_bits) {
    EXPECT_EQ(narrow<f16>(65519.996f).bits, 0x7bff);
    EXPECT_EQ(narrow<f16>(65520.0f).bits, 0x7c00);
    EXPECT_EQ(narrow<f16>(-1e30f).bits, 0xfc00);
    EXPECT_EQ(narrow<f16>(1e300).bits, 0x7c00);
    EXPECT_EQ(narrow<bf16>(std::numeric_limits<float>::max()).bits, 0x7f80);
    EXPECT_EQ(narrow<bf16>(-float(INF)).bits, 0xff80);
}

// ---------------------------------------------------------------- 8 bits, decoded and rounded by their definition

struct small_format { // of an 8-bit floating-point type
    int mantissa, bias;
    double largest;
    unsigned infinity; // code of it, or beyond all codes
};
constexpr small_format E5M2 = {2, 15, 57344, 0x7c}, E4M3 = {3, 7, 448, 0x80};

double decode(small_format f, unsigned bits) {
    const double sign = bits & 0x80u ? -1 : 1;
    const int code = int(bits & 0x7fu), exponent = code >> f.mantissa, mantissa = code & ((1 << f.mantissa) - 1);
    if (unsigned(code) == f.infinity) return sign * INF;
    const double value = exponent == 0 ? std::ldexp(mantissa, 1 - f.bias - f.mantissa)
                                       : std::ldexp(mantissa + (1 << f.mantissa), exponent - f.bias - f.mantissa);
    return value > f.largest ? std::nan("") : sign * value;
}

// The value nearest to x, ties to the even mantissa; the largest one beyond the range.
double round_to(small_format f, double x) {
    if (std::isnan(x) || x == 0) return x;
    if (std::fabs(x) >= f.largest) return std::copysign(f.largest, x);
    const double step = std::ldexp(1, std::max(std::ilogb(x), 1 - f.bias) - f.mantissa);
    return std::copysign(std::min(std::nearbyint(std::fabs(x) / step) * step, f.largest), x);
}

template <typename Stored>
void expect_all_codes(small_format f) {
    for (unsigned bits = 0; bits < 256; ++bits) {
        const Stored value = {uint8_t(bits)};
        const double exact = decode(f, bits);
        ASSERT_TRUE(same(double(widen<float>(value)), exact)) << std::hex << bits;
        ASSERT_TRUE(same(widen<double>(value), exact)) << std::hex << bits;
        const Stored back = narrow<Stored>(widen<float>(value));
        if (std::isfinite(exact))
            ASSERT_EQ(back.bits, bits);
        else
            ASSERT_TRUE(same(decode(f, back.bits), round_to(f, exact))) << std::hex << bits;
    }
}

template <typename Stored>
void expect_narrowed_to_8_bits(small_format f, float x) {
    ASSERT_TRUE(same(decode(f, narrow<Stored>(x).bits), round_to(f, double(x)))) << std::hexfloat << x;
}

// Every float that has one of the upper 17 bits' patterns, and its neighbours: all ties, all denormal results.
template <typename Stored>
void expect_floats_to_8_bits(small_format f) {
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 0x8000)
        for (const uint32_t nearby : {0U, 1U, 0x7fffU})
            expect_narrowed_to_8_bits<Stored>(f, std::bit_cast<float>(uint32_t(bits) + nearby));
    for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 997)
        expect_narrowed_to_8_bits<Stored>(f, std::bit_cast<float>(uint32_t(bits)));
}

TEST(convert, every_f8_e5m2_code) { expect_all_codes<f8_e5m2>(E5M2); }
TEST(convert, every_f8_e4m3_code) { expect_all_codes<f8_e4m3>(E4M3); }
TEST(convert, floats_to_f8_e5m2) { expect_floats_to_8_bits<f8_e5m2>(E5M2); }
TEST(convert, floats_to_f8_e4m3) { expect_floats_to_8_bits<f8_e4m3>(E4M3); }

TEST(convert, f8_saturates) {
    EXPECT_EQ(narrow<f8_e4m3>(464.0f).bits, 0x7e);
    EXPECT_EQ(narrow<f8_e4m3>(1e30f).bits, 0x7e);
    EXPECT_EQ(narrow<f8_e4m3>(-float(INF)).bits, 0xfe);
    EXPECT_EQ(narrow<f8_e5m2>(61440.0f).bits, 0x7b);
    EXPECT_EQ(narrow<f8_e5m2>(float(INF)).bits, 0x7b);
    EXPECT_EQ(narrow<f8_e5m2>(-1e300).bits, 0xfb);
}

// One rounding, where f16 on the way would make two: just above the middle of two numbers of e5m2 and of e4m3.
TEST(convert, f8_does_not_go_through_f16) {
    EXPECT_EQ(narrow<f8_e5m2>(1.125f + 0x1p-20f).bits, 0x3d);
    EXPECT_EQ(narrow<f8_e4m3>(1.0625f + 0x1p-20f).bits, 0x39);
    EXPECT_EQ(narrow<f8_e4m3>(1.0625f).bits, 0x38);
}

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
}

template <typename Integer, typename T>
void expect_integers() {
    constexpr double lowest = std::numeric_limits<Integer>::min(), highest = std::numeric_limits<Integer>::max();
    for (double x = -300; x <= 300; x += 1.0 / 64)
        for (const T value : {T(x), std::nextafter(T(x), T(-INF)), std::nextafter(T(x), T(INF))})
            ASSERT_EQ(double(narrow<Integer>(value)), std::clamp(std::nearbyint(double(value)), lowest, highest))
                << value;
    for (const T size : {T(1e10), std::numeric_limits<T>::max(), T(INF)}) {
        EXPECT_EQ(narrow<Integer>(size), highest);
        EXPECT_EQ(narrow<Integer>(-size), lowest);
    }
    EXPECT_EQ(narrow<Integer>(std::numeric_limits<T>::quiet_NaN()), 0);
    EXPECT_EQ(narrow<Integer>(-std::numeric_limits<T>::quiet_NaN()), 0);
}

TEST(convert, to_s8) {
    expect_integers<int8_t, float>();
    expect_integers<int8_t, double>();
}
TEST(convert, to_u8) {
    expect_integers<uint8_t, float>();
    expect_integers<uint8_t, double>();
}

TEST(convert, integers_widen) {
    for (int i = -128; i < 128; ++i) ASSERT_EQ(widen<float>(int8_t(i)), float(i));
    for (int i = 0; i < 256; ++i) ASSERT_EQ(widen<double>(uint8_t(i)), double(i));
    EXPECT_EQ(widen<float>(int32_t(16777217)), 16777216.0f); // to nearest even
    EXPECT_EQ(widen<double>(int32_t(16777217)), 16777217.0);
}

TEST(convert, data_types_visit_their_storage) {
    const std::pair<jitnorm_data_type_t, size_t> sizes[] = {
        {jitnorm_f16, 2}, {jitnorm_bf16, 2}, {jitnorm_f32, 4},     {jitnorm_s32, 4},    {jitnorm_s8, 1},
        {jitnorm_u8, 1},  {jitnorm_f64, 8},  {jitnorm_f8_e5m2, 1}, {jitnorm_f8_e4m3, 1}};
    for (const auto &[type, size] : sizes)
        visit_data_type(
            type, [&, expected = size]<typename Stored>(stored_as<Stored>) { EXPECT_EQ(sizeof(Stored), expected); });
}

} // namespace
} // namespace jitnorm::impl
