// SPDX-License-Identifier: Apache-2.0
// The oracle's element types: names, and conversions, which have the results of those of src/math. They share no code,
// and tests/math has the formats once more.
#include "problem/data_type.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "error.hpp"
#include "math/convert.hpp"

namespace benchdnn_lite {
namespace {

using jitnorm::impl::stored_as, jitnorm::impl::visit_data_type;

TEST(data_type, names_read_back) {
#define DATA_TYPE(name, ...) EXPECT_EQ(parse_data_type(name_of(jitnorm_##name)), jitnorm_##name);
#include "../../tables/data_types.inc"
    EXPECT_THROW(parse_data_type("f31"), input_error);
    EXPECT_THROW(parse_data_type(""), input_error);
}

class narrow_type : public testing::TestWithParam<data_type> {};

// Any NaN equals any other.
bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

TEST_P(narrow_type, has_the_values_of_the_library) {
    visit_data_type(GetParam(), [&]<typename Stored>(stored_as<Stored>) {
        for (uint64_t code = 0, codes = sizeof(Stored) == 1 ? 0x100 : 0x10000; code < codes; ++code) {
            Stored stored;
            std::memcpy(&stored, &code, sizeof stored);
            EXPECT_TRUE(same(load(GetParam(), &code, 0), jitnorm::impl::widen<double>(stored))) << code;
        }
    });
}

// The sign, the exponent and the upper bits of floats have every pattern, so that values, ties and the ends of the
// range are among them, with their neighbours.
TEST_P(narrow_type, rounds_floats_as_the_library_does) {
    visit_data_type(GetParam(), [&]<typename Stored>(stored_as<Stored>) {
        for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 0x1000)
            for (const uint32_t nearby : {0, 1, 0xfff}) {
                const auto x = std::bit_cast<float>(uint32_t(bits) + nearby);
                const Stored expected = jitnorm::impl::narrow<Stored>(x);
                ASSERT_TRUE(same(round_to(GetParam(), double(x)), jitnorm::impl::widen<double>(expected))) << x;
            }
    });
}

INSTANTIATE_TEST_SUITE_P(types, narrow_type,
                         testing::Values(jitnorm_f16, jitnorm_bf16, jitnorm_f8_e5m2, jitnorm_f8_e4m3, jitnorm_s8,
                                         jitnorm_u8),
                         [](const auto &tested) { return std::string(name_of(tested.param)); });

TEST(data_type, doubles_are_rounded_once) {
    EXPECT_EQ(round_to(jitnorm_bf16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7) << "a float would be in the middle";
}

TEST(data_type, half_an_ulp) {
    const struct {
        data_type type;
        double at, expected;
    } rows[] = {{jitnorm_f32, 1, 0x1p-24},    {jitnorm_f32, 0, 0x1p-150},   {jitnorm_f64, 2, 0x1p-52},
                {jitnorm_f16, 1, 0x1p-11},    {jitnorm_f16, 0, 0x1p-25},    {jitnorm_bf16, 3, 0x1p-7},
                {jitnorm_f8_e5m2, 1, 0x1p-3}, {jitnorm_f8_e4m3, 448, 16.0}, {jitnorm_f8_e4m3, 0, 0x1p-10},
                {jitnorm_f32, HUGE_VAL, 0},   {jitnorm_s8, 100, 0.5}};
    for (const auto &[type, at, expected] : rows) EXPECT_EQ(half_ulp(type, at), expected) << name_of(type) << " " << at;
}

} // namespace
} // namespace benchdnn_lite
