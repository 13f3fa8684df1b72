// SPDX-License-Identifier: Apache-2.0
// The comparison: the tolerance of each type, ties, saturation, NaN and infinity, and the report of the worst element.
#include "correctness/compare.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace benchdnn_lite {
namespace {

TEST(acceptable, by_type) {
    const struct {
        const char *what;
        data_type type;
        expectation expected;
        std::vector<double> accepted, refused;
    } rows[] = {{"the tolerance", jitnorm_f32, {1, 1e-6L}, {1, 1 + 1e-6}, {1 + 1.2e-6, 1 - 1.2e-6, NAN, HUGE_VAL}},
                {"a tie, and its other side", jitnorm_bf16, {1 + 0x1p-8L, 0}, {1, 1 + 0x1p-7}, {}},
                {"beyond a tie", jitnorm_bf16, {1 + 0x1.2p-8L, 0}, {}, {1}},
                {"within the error of a tie", jitnorm_bf16, {1 + 0x1.2p-8L, 0x1p-11L}, {1}, {}},
                {"no tie", jitnorm_f16, {1000, 1e-3L}, {}, {1001}},
                {"an integer is exact", jitnorm_s8, {2.4L, 1e-6L}, {2}, {3}},
                {"but for ties", jitnorm_s8, {2.5L - 1e-7L, 1e-6L}, {3}, {}},
                {"not quite a tie", jitnorm_s8, {2.5L - 1e-5L, 1e-6L}, {}, {3}},
                {"the lowest integer", jitnorm_u8, {-300, 1e-3L}, {0}, {}},
                {"the highest integer", jitnorm_s8, {1e9L, 1}, {127}, {126}},
                {"NaN as an integer", jitnorm_s8, {NAN, 0}, {0}, {1}},
                {"NaN", jitnorm_f32, {NAN, 0}, {NAN}, {1}},
                {"infinity", jitnorm_f32, {HUGE_VALL, 0}, {HUGE_VAL}, {-HUGE_VAL, 3e38}},
                {"overflow of a narrow type", jitnorm_f16, {1e6L, 1}, {HUGE_VAL}, {65504}},
                {"no overflow", jitnorm_f16, {60000, 1}, {}, {HUGE_VAL}},
                {"either side of the edge", jitnorm_f16, {65519.5L, 1}, {HUGE_VAL, 65504}, {}}};
    for (const auto &[what, type, expected, accepted, refused] : rows) {
        for (const double got : accepted) EXPECT_TRUE(is_acceptable(type, expected, got)) << what << ": " << got;
        for (const double got : refused) EXPECT_FALSE(is_acceptable(type, expected, got)) << what << ": " << got;
    }
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
