// SPDX-License-Identifier: Apache-2.0
// The oracle against answers that are known, and gradients against finite differences. tests/reference compares it with
// the reference, which shares no code with it.
#include "correctness/compare.hpp"
#include "correctness/oracle.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "math/post_ops.hpp"
#include "norm/attributes.hpp"

namespace benchdnn_lite {
namespace {

constexpr double NO_ERROR = 0;

// The mean is n + 1/3, which no long double holds: deviations from it are still right.
TEST(statistics, the_rounding_of_a_large_mean_is_not_lost) {
    const std::vector<double> src{1e12, 1e12, 1e12 + 1};
    const statistics s = statistics_of(src, false);
    EXPECT_NEAR(double(s.deviation(src[0])), -1.0 / 3, 1e-16);
    EXPECT_NEAR(double(s.deviation(src[2])), 2.0 / 3, 1e-16);
    EXPECT_NEAR(double(s.variance), 2.0 / 9, 1e-16);
}

TEST(forward, two_elements_become_minus_one_and_one) {
    const std::vector<double> src{3, 7}, scale{2, 10}, shift{1, -1};
    std::vector<expectation> dst(2);
    expect_forward({src, {}, {}, {}, statistics_of(src, false), 0}, F32_ERROR, dst);
    EXPECT_EQ(dst[0].value, -1);
    EXPECT_EQ(dst[1].value, 1);
    expect_forward({src, scale, shift, {}, statistics_of(src, false), 0}, F32_ERROR, dst);
    EXPECT_EQ(dst[0].value, -1);
    EXPECT_EQ(dst[1].value, 9);
    EXPECT_NEAR(double(dst[1].tolerance), F32_ERROR * (10 + 0.125), 1e-12);
}

// The sum over a row of weights[c] * dst[c], whose gradients are what backward computes for diff_dst = weights.
real objective(const std::vector<double> &src, const std::vector<double> &scale, const std::vector<double> &shift,
               const std::vector<double> &weights, unsigned flags, const statistics &global) {
    std::vector<expectation> dst(src.size());
    const bool given = (flags & jitnorm_use_global_stats) != 0;
    const statistics s = given ? global : statistics_of(src, (flags & jitnorm_rms_norm) != 0);
    expect_forward({src, scale, shift, {}, s, 0.0625L, flags}, NO_ERROR, dst);
    real sum = 0;
    for (size_t c = 0; c < src.size(); ++c) sum += weights[c] * dst[c].value;
    return sum;
}

class backward : public testing::TestWithParam<unsigned> { // the flags
protected:
    static constexpr double STEP = 1e-5;
    const std::vector<double> src_{0.3, -1.2, 2.5, 0.7, -0.1}, scale_{1.5, -0.5, 2, 0.25, 1}, shift_{1, 2, 3, 4, 5},
        weights_{0.4, -1, 0.8, 2, -0.3};
    const bool rms_ = (GetParam() & jitnorm_rms_norm) != 0, given_ = (GetParam() & jitnorm_use_global_stats) != 0;
    const statistics global_{rms_ ? 0 : 0.2L, 0, 1.7L};

    row_inputs inputs() const {
        return {src_, scale_, {}, weights_, given_ ? global_ : statistics_of(src_, rms_), 0.0625L, GetParam()};
    }
    real value(const std::vector<double> &src, const std::vector<double> &scale,
               const std::vector<double> &shift) const {
        return objective(src, scale, shift, weights_, GetParam(), global_);
    }
};

TEST_P(backward, diff_src_is_the_slope_along_src) {
    std::vector<expectation> diff_src(src_.size());
    expect_diff_src(inputs(), NO_ERROR, diff_src);
    for (size_t c = 0; c < src_.size(); ++c) {
        std::vector<double> less = src_, more = src_;
        less[c] -= STEP;
        more[c] += STEP;
        const real slope = (value(more, scale_, shift_) - value(less, scale_, shift_)) / (more[c] - less[c]);
        EXPECT_NEAR(double(diff_src[c].value), double(slope), 1e-8) << c;
    }
}

TEST_P(backward, diff_scale_and_diff_shift_are_the_slopes_along_them) {
    gradient_sums sums(src_.size());
    sums.add_row(inputs());
    for (size_t c = 0; c < src_.size(); ++c) {
        std::vector<double> scale = scale_, shift = shift_;
        scale[c] += 1;
        shift[c] += 1;
        const real here = value(src_, scale_, shift_);
        EXPECT_NEAR(double(sums.diff_scale(c, 0).value), double(value(src_, scale, shift_) - here), 1e-14) << c;
        EXPECT_NEAR(double(sums.diff_shift(c, 0).value), double(value(src_, scale_, shift) - here), 1e-14) << c;
    }
}

// Without a flag, with each that changes the gradients, and with two of them.
constexpr unsigned KINDS[] = {0, jitnorm_use_global_stats, jitnorm_rms_norm,
#define FLAG(...)
#define AFFINE_FLAG(name, ...) jitnorm_##name,
#include "../../tables/normalization_flags.inc"
                              jitnorm_rms_norm | jitnorm_use_global_stats};
INSTANTIATE_TEST_SUITE_P(kinds, backward, testing::ValuesIn(KINDS));

TEST(attributes, scales_that_are_found) {
    const expectation values[] = {{-3, 0.5}, {2, 1}, {0, 0}};
    const expectation scale = dynamic_scale_of(values, 127, F32_ERROR);
    EXPECT_EQ(scale.value, 3 / real(127));
    EXPECT_GE(scale.tolerance, 1 / real(127));
    EXPECT_LT(scale.tolerance, 1.001L / 127);
    EXPECT_EQ(quantized(values[0], 0.5, F32_ERROR).value, -6);
    EXPECT_GE(quantized(values[0], 0.5, F32_ERROR).tolerance, 1);
    for (const double none : {0.0, 0x1p-128, HUGE_VAL, std::nan("")}) {
        EXPECT_EQ(quantized(values[0], none, F32_ERROR).value, 0) << none;
        EXPECT_EQ(quantized(values[0], none, F32_ERROR).tolerance, 0) << none;
    }
    EXPECT_EQ(dynamic_scale_of({}, 127, F32_ERROR).value, 0);
    const expectation with_nan[] = {{std::nan(""), 0}, {2, 1}};
    EXPECT_TRUE(std::isnan(dynamic_scale_of(with_nan, 127, F32_ERROR).value));
}

// The oracle and src/math/ each have the formulas, and tests/math has the transcendental ones once more. They agree
// where docs/arithmetic.md promises it, about NaN as well.
TEST(attributes, formulas_are_those_of_the_library) {
    for (const auto algorithm : jitnorm::impl::ELTWISE_ALGORITHMS)
        for (const float alpha : {-1.5F, 0.F, 0.5F, 1.F})
            for (const float beta : {0.75F, 3.F})
                for (const double x : {-double(INFINITY), -20., -3., -1.25, -0.3, -0.001, 0., 0.001, 0.3, 1., 1.5, 2.5,
                                       20., double(INFINITY), double(NAN)}) {
                    const auto expected = double(eltwise_value({algorithm, alpha, beta}, x));
                    double got = 77;
                    jitnorm::impl::math::visit_eltwise<double>(algorithm, jitnorm::impl::math::is_leaky(alpha),
                                                               double(alpha), double(beta),
                                                               [&](auto f) { got = f(x); });
                    if (got == expected || (std::isnan(got) && std::isnan(expected))) continue; // infinities, too
                    EXPECT_NEAR(got, expected, 0x1p-50 * std::max(std::abs(expected), std::min(std::abs(x), 1.)))
                        << algorithm << " of " << x << " with " << alpha << " and " << beta;
                }
    for (const auto algorithm : jitnorm::impl::BINARY_ALGORITHMS)
        for (const double x : {-2., 0., 0.75, 2., double(NAN)})
            for (const double y : {0.75, double(NAN)})
                jitnorm::impl::math::visit_binary<double>(algorithm, [&](auto f) {
                    const auto expected = double(binary_value(algorithm, x, y)), got = f(x, y);
                    if (std::isnan(got) && std::isnan(expected)) return;
                    EXPECT_DOUBLE_EQ(got, expected) << algorithm << " of " << x << " and " << y;
                });
}

// The root of a value that may be below zero may be NaN or not; a product may be beyond the largest float or not. No
// later step decides it.
TEST(attributes, what_is_unknown_stays_unknown) {
    const binary_post_op largest{jitnorm_binary_max, jitnorm_f32, 0, {}, {}};
    const expectation root = after_eltwise({-1e-9L, 1e-7L}, {jitnorm_eltwise_sqrt, 0, 0}, F32_ERROR);
    EXPECT_TRUE(std::isinf(root.tolerance));
    EXPECT_TRUE(std::isinf(after_binary(root, largest, 2, F32_ERROR).tolerance));
    EXPECT_TRUE(std::isinf(quantized(scaled({3.4e38L, 1e36L}, 1, F32_ERROR), INFINITY, F32_ERROR).tolerance));
    const binary_post_op silu{jitnorm_binary_mul_silu, jitnorm_f32, 0, {}, {}}; // silu(-128) is 0 in f32
    EXPECT_TRUE(std::isinf(after_binary({INFINITY, 0}, silu, -128, F32_ERROR).tolerance));
    EXPECT_EQ(after_binary({INFINITY, 0}, silu, -128, F64_ERROR).value, -real(INFINITY));
}

// The rounding of a denormal product is as large as that of any other, and the next product makes it larger.
TEST(oracle, denormal_products_are_rounded) {
    const binary_post_op product{jitnorm_binary_mul, jitnorm_f32, 0, {}, {}};
    const float once = 5e-44F * 0.7F, twice = once * 9;
    const expectation first = after_binary({5e-44F, 0}, product, 0.7F, F32_ERROR);
    EXPECT_TRUE(is_acceptable(jitnorm_f32, first, once));
    EXPECT_TRUE(is_acceptable(jitnorm_f32, after_binary(first, product, 9, F32_ERROR), twice));
    EXPECT_FALSE(is_acceptable(jitnorm_f32, after_binary(first, product, 9, F32_ERROR), twice + 1e-43F));
}

// 0 or 1 and then rounded, with a value that may be large.
TEST(oracle, a_value_that_may_be_large_is_rounded_as_large_values_are) {
    const binary_post_op product{jitnorm_binary_mul, jitnorm_f32, 0, {}, {}};
    const float third = 1.0F / 3;
    const expectation either = after_binary({0, 1}, product, third, F32_ERROR);
    EXPECT_TRUE(is_acceptable(jitnorm_f32, scaled(either, third, F32_ERROR), third * third));
}

TEST(attributes, results_beyond_the_largest_number_of_the_computation_are_infinite) {
    const binary_post_op product{jitnorm_binary_mul, jitnorm_f32, 0, {}, {}};
    const expectation power = after_eltwise({100, 1e-5L}, {jitnorm_eltwise_exp, 0, 0}, F32_ERROR);
    EXPECT_EQ(after_binary(power, product, 1e-20, F32_ERROR).value, real(INFINITY));
    EXPECT_EQ(after_eltwise({-1e30L, 0}, {jitnorm_eltwise_linear, 1e30F, 0}, F32_ERROR).value, -real(INFINITY));
    EXPECT_TRUE(std::isfinite(after_eltwise({100, 1e-5L}, {jitnorm_eltwise_exp, 0, 0}, F64_ERROR).value));
}

// 1 + y is exact for this float, and differs much from 1 + y of the double before its conversion.
TEST(attributes, a_double_becomes_a_float_before_the_computation) {
    const binary_post_op plus_one{jitnorm_binary_mul_plus_one, jitnorm_f64, 0, {}, {}};
    EXPECT_EQ(after_binary({1, 0}, plus_one, -1 + 0x1p-40, F32_ERROR).value, 0);
    EXPECT_EQ(after_binary({1, 0}, plus_one, -1 + 0x1p-40, F64_ERROR).value, 0x1p-40L);
}

TEST(attributes, a_comparison_at_its_edge_accepts_both_answers) {
    binary_post_op op;
    op.algorithm = jitnorm_binary_ge;
    EXPECT_LT(after_binary({1, 1e-7L}, op, 0.5, 0).tolerance, 1e-44L);
    EXPECT_EQ(after_binary({1, 1e-7L}, op, 1, 0).tolerance, 1);
    op.algorithm = jitnorm_binary_eq;
    EXPECT_EQ(after_binary({1, 1e-7L}, op, 1 + 1e-8L, 0).tolerance, 1);
}

} // namespace
} // namespace benchdnn_lite
