// SPDX-License-Identifier: Apache-2.0
// Conversions of the oracle's element types: every bit pattern of 1 and 2 bytes, ties, ranges.
#include "problem/data_type.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "error.hpp"

namespace benchdnn_lite {
namespace {

TEST(data_type, names_read_back) {
    for (const data_type type : {jitnorm_f16, jitnorm_bf16, jitnorm_f32, jitnorm_f64, jitnorm_s32, jitnorm_s8,
                                 jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3})
        EXPECT_EQ(parse_data_type(name_of(type)), type);
    EXPECT_THROW(parse_data_type("f31"), input_error);
    EXPECT_THROW(parse_data_type(""), input_error);
}

// Types of 1 or 2 bytes, whose numbers above 0 have consecutive codes.
class coded : public testing::TestWithParam<data_type> {
protected:
    const size_t size_ = size_of(GetParam());
    const uint32_t sign_ = 1U << (8 * size_ - 1);

    double value_of(uint32_t code) const { return load(GetParam(), &code, 0); }
    uint32_t code_of(double value) const {
        uint32_t code = 0;
        store(GetParam(), &code, 0, value);
        return code;
    }
};

TEST_P(coded, every_pattern_survives_a_load_and_a_store) {
    for (uint32_t code = 0; code < 2 * sign_; ++code) {
        const double value = value_of(code);
        if (is_f8(GetParam()) && std::isinf(value)) continue; // it saturates
        EXPECT_TRUE(code_of(value) == code || (std::isnan(value) && std::isnan(value_of(code_of(value))))) << code;
    }
}

TEST_P(coded, values_between_round_to_the_nearest_and_ties_to_even) {
    for (uint32_t code = 0;; ++code) {
        const double below = value_of(code), above = value_of(code + 1);
        EXPECT_EQ(value_of(code | sign_), -below);
        if (below == largest(GetParam())) break;
        const double middle = (below + above) / 2, even = code % 2 == 0 ? below : above;
        EXPECT_EQ(round_to(GetParam(), middle), even) << code;
        EXPECT_EQ(round_to(GetParam(), -middle), -even) << code;
        EXPECT_EQ(round_to(GetParam(), std::nextafter(middle, 0)), below) << code;
        EXPECT_EQ(round_to(GetParam(), std::nextafter(middle, HUGE_VAL)), above) << code;
        EXPECT_EQ(half_ulp(GetParam(), below), (above - below) / 2) << code;
    }
}

INSTANTIATE_TEST_SUITE_P(types, coded, testing::Values(jitnorm_f16, jitnorm_bf16, jitnorm_f8_e5m2, jitnorm_f8_e4m3),
                         [](const auto &tested) { return std::string(name_of(tested.param)); });

TEST(data_type, f8_saturates_and_keeps_nan) {
    for (const auto type : {jitnorm_f8_e5m2, jitnorm_f8_e4m3}) {
        for (const double beyond : {largest(type) * 1.01, 1e300, HUGE_VAL}) {
            EXPECT_EQ(round_to(type, beyond), largest(type));
            EXPECT_EQ(round_to(type, -beyond), lowest(type));
        }
        uint8_t stored = 0;
        store(type, &stored, 0, std::nan(""));
        EXPECT_TRUE(std::isnan(load(type, &stored, 0)));
    }
}

TEST(data_type, f8_known_values) {
    const uint8_t one_e5m2 = 0x3c, one_e4m3 = 0x38, infinity = 0x7c, nan = 0x7f, smallest = 1;
    EXPECT_EQ(load(jitnorm_f8_e5m2, &one_e5m2, 0), 1);
    EXPECT_EQ(load(jitnorm_f8_e4m3, &one_e4m3, 0), 1);
    EXPECT_EQ(load(jitnorm_f8_e5m2, &infinity, 0), HUGE_VAL);
    EXPECT_TRUE(std::isnan(load(jitnorm_f8_e5m2, &nan, 0)) && std::isnan(load(jitnorm_f8_e4m3, &nan, 0)));
    EXPECT_EQ(load(jitnorm_f8_e5m2, &smallest, 0), 0x1p-16);
    EXPECT_EQ(load(jitnorm_f8_e4m3, &smallest, 0), 0x1p-9);
}

TEST(data_type, f16_known_values) {
    const uint16_t one = 0x3c00, smallest = 0x0001, greatest = 0x7bff, minus_two = 0xc000;
    EXPECT_EQ(load(jitnorm_f16, &one, 0), 1);
    EXPECT_EQ(load(jitnorm_f16, &smallest, 0), 0x1p-24);
    EXPECT_EQ(load(jitnorm_f16, &greatest, 0), 65504);
    EXPECT_EQ(load(jitnorm_f16, &minus_two, 0), -2);
}

TEST(data_type, f16_overflows_from_half_an_ulp_beyond_the_largest) {
    EXPECT_EQ(round_to(jitnorm_f16, 65519.99), 65504);
    EXPECT_EQ(round_to(jitnorm_f16, 65520), HUGE_VAL);
    EXPECT_EQ(round_to(jitnorm_f16, -1e30), -HUGE_VAL);
}

TEST(data_type, integers_round_to_even_saturate_and_take_nan_as_zero) {
    EXPECT_EQ(round_to(jitnorm_s8, 0.5), 0);
    EXPECT_EQ(round_to(jitnorm_s8, 1.5), 2);
    EXPECT_EQ(round_to(jitnorm_s8, -2.5), -2);
    EXPECT_EQ(round_to(jitnorm_s8, 1000), 127);
    EXPECT_EQ(round_to(jitnorm_s8, -1000), -128);
    EXPECT_EQ(round_to(jitnorm_u8, -1), 0);
    EXPECT_EQ(round_to(jitnorm_u8, HUGE_VAL), 255);
    EXPECT_EQ(round_to(jitnorm_u8, std::nan("")), 0);
}

TEST(data_type, half_an_ulp) {
    EXPECT_EQ(half_ulp(jitnorm_f32, 1), 0x1p-24);
    EXPECT_EQ(half_ulp(jitnorm_f32, 0), 0x1p-150);
    EXPECT_EQ(half_ulp(jitnorm_f64, 2), 0x1p-52);
    EXPECT_EQ(half_ulp(jitnorm_s8, 100), 0.5);
}

} // namespace
} // namespace benchdnn_lite
