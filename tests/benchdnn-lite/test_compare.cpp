// SPDX-License-Identifier: Apache-2.0
// The comparison: the tolerance of each type, ties, saturation, NaN and infinity, and the report of the worst element.
#include "correctness/compare.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace benchdnn_lite {
namespace {

TEST(acceptable, f32_within_the_tolerance_and_half_an_ulp) {
    const expectation e{1, 1e-6L};
    EXPECT_TRUE(is_acceptable(jitnorm_f32, e, 1));
    EXPECT_TRUE(is_acceptable(jitnorm_f32, e, 1 + 1e-6));
    EXPECT_FALSE(is_acceptable(jitnorm_f32, e, 1 + 1.2e-6));
    EXPECT_FALSE(is_acceptable(jitnorm_f32, e, 1 - 1.2e-6));
}

TEST(acceptable, narrow_types_have_their_rounding) {
    EXPECT_TRUE(is_acceptable(jitnorm_bf16, {1 + 0x1p-8L, 0}, 1));          // a tie
    EXPECT_TRUE(is_acceptable(jitnorm_bf16, {1 + 0x1p-8L, 0}, 1 + 0x1p-7)); // and its other side
    EXPECT_FALSE(is_acceptable(jitnorm_bf16, {1 + 0x1.2p-8L, 0}, 1));       // beyond it
    EXPECT_TRUE(is_acceptable(jitnorm_bf16, {1 + 0x1.2p-8L, 0x1p-11L}, 1)); // but within the error of a tie
    EXPECT_FALSE(is_acceptable(jitnorm_f16, {1000, 1e-3L}, 1001));
}

TEST(acceptable, integers_are_exact_but_for_ties) {
    EXPECT_TRUE(is_acceptable(jitnorm_s8, {2.4L, 1e-6L}, 2));
    EXPECT_FALSE(is_acceptable(jitnorm_s8, {2.4L, 1e-6L}, 3));
    EXPECT_TRUE(is_acceptable(jitnorm_s8, {2.5L - 1e-7L, 1e-6L}, 3));
    EXPECT_FALSE(is_acceptable(jitnorm_s8, {2.5L - 1e-5L, 1e-6L}, 3));
}

TEST(acceptable, integers_saturate_and_turn_nan_into_zero) {
    EXPECT_TRUE(is_acceptable(jitnorm_u8, {-300, 1e-3L}, 0));
    EXPECT_TRUE(is_acceptable(jitnorm_s8, {1e9L, 1}, 127));
    EXPECT_FALSE(is_acceptable(jitnorm_s8, {1e9L, 1}, 126));
    EXPECT_TRUE(is_acceptable(jitnorm_s8, {NAN, 0}, 0));
    EXPECT_FALSE(is_acceptable(jitnorm_s8, {NAN, 0}, 1));
}

TEST(acceptable, nan_and_infinity) {
    EXPECT_TRUE(is_acceptable(jitnorm_f32, {NAN, 0}, NAN));
    EXPECT_FALSE(is_acceptable(jitnorm_f32, {NAN, 0}, 1));
    EXPECT_FALSE(is_acceptable(jitnorm_f32, {1, 1e-6L}, NAN));
    EXPECT_FALSE(is_acceptable(jitnorm_f32, {1, 1e-6L}, HUGE_VAL));
    EXPECT_TRUE(is_acceptable(jitnorm_f32, {HUGE_VALL, 0}, HUGE_VAL));
    EXPECT_FALSE(is_acceptable(jitnorm_f32, {HUGE_VALL, 0}, -HUGE_VAL));
    EXPECT_FALSE(is_acceptable(jitnorm_f32, {HUGE_VALL, 0}, 3e38));
}

TEST(acceptable, overflow_of_a_narrow_type) {
    EXPECT_TRUE(is_acceptable(jitnorm_f16, {1e6L, 1}, HUGE_VAL));
    EXPECT_FALSE(is_acceptable(jitnorm_f16, {1e6L, 1}, 65504));
    EXPECT_FALSE(is_acceptable(jitnorm_f16, {60000, 1}, HUGE_VAL));
    EXPECT_TRUE(is_acceptable(jitnorm_f16, {65519.5L, 1}, HUGE_VAL)); // either side of the edge
    EXPECT_TRUE(is_acceptable(jitnorm_f16, {65519.5L, 1}, 65504));
}

layout shape_of(std::vector<dim_t> dims, data_type type) {
    layout l;
    l.type = type;
    l.dims = l.padded_dims = std::move(dims);
    l.strides.assign(l.dims.size(), 1);
    for (size_t d = l.dims.size() - 1; d-- > 0;) l.strides[d] = l.strides[d + 1] * l.dims[d + 1];
    return l;
}

TEST(comparison, counts_and_reports_the_worst) {
    comparison c("dst", shape_of({2, 3}, jitnorm_f32));
    c.add(0, {1, 1e-6L}, 1);
    c.add(1, {1, 1e-6L}, 1.25);
    c.add(5, {1, 1e-6L}, 3);
    c.add(4, {1, 1e-6L}, 1.5);
    EXPECT_EQ(c.errors(), 3u);
    EXPECT_EQ(c.total(), 4u);
    ASSERT_EQ(c.report().size(), 1u);
    EXPECT_EQ(c.report()[0],
              "dst[1,2]: expected 1, got 3, error 2 (1.68e+07 ulp), allowed 1.06e-06 (8.89 ulp), at byte 20; "
              "wrong: 3 of 4, in rows 0 to 1, columns 1 to 2");
}

TEST(comparison, a_nan_is_worse_than_any_number) {
    comparison c("dst", shape_of({3}, jitnorm_f32));
    c.add(0, {1, 1e-6L}, 1e30);
    c.add(1, {1, 1e-6L}, NAN);
    c.add(2, {1, 1e-6L}, 1e35);
    EXPECT_EQ(c.report()[0].find("dst[1]"), 0u) << c.report()[0];
}

TEST(comparison, parts_merge_into_the_whole) {
    comparison whole("dst", shape_of({2, 3}, jitnorm_f32)), part = whole;
    whole.add(0, {1, 1e-6L}, 2);
    part.add(5, {1, 1e-6L}, 3);
    part.add(4, {1, 1e-6L}, 1);
    whole.merge(part);
    EXPECT_EQ(whole.errors(), 2u);
    EXPECT_EQ(whole.total(), 3u);
    EXPECT_EQ(whole.report()[0].find("dst[1,2]: expected 1, got 3"), 0u) << whole.report()[0];
    EXPECT_NE(whole.report()[0].find("wrong: 2 of 3, in rows 0 to 1, columns 0 to 2"), std::string::npos);
}

TEST(comparison, ties_must_be_rounded_to_even) {
    comparison c("dst", shape_of({4}, jitnorm_s8), {is_exact, "must be exact"});
    c.add(0, {2.5L, 0}, 2);
    c.add(1, {3.5L, 0}, 4);
    c.add(2, {300, 0}, 127);
    EXPECT_EQ(c.errors(), 0u);
    c.add(3, {2.5L, 0}, 3);
    EXPECT_EQ(c.errors(), 1u);
    EXPECT_NE(c.report()[0].find("must be exact"), std::string::npos) << c.report()[0];
}

TEST(comparison, silent_when_all_is_well) {
    comparison c("dst", shape_of({1}, jitnorm_f32));
    c.add(0, {1, 1e-6L}, 1);
    EXPECT_EQ(c.errors(), 0u);
    EXPECT_TRUE(c.report().empty());
    c.add_fault("something else");
    EXPECT_EQ(c.errors(), 1u);
    EXPECT_EQ(c.report()[0], "dst: something else");
}

} // namespace
} // namespace benchdnn_lite
