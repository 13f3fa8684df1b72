// SPDX-License-Identifier: Apache-2.0
// aclnnRmsNormDynamicQuant and aclnnAddRmsNormDynamicQuant: scales and integers against the norm in f32, quantized in
// plain loops.
#include "aclnnop/aclnn_rms_norm.h"
#include "quant_problem.hpp"

namespace jitnorm::tests {
namespace {

struct quantized {
    values y, scales;
};

// The norm in f32 as aclnnRmsNorm computes it, then plain loops: beta would be fused into it, so it is for the caller.
quantized quantize_rows(const values &u, size_t columns, aclDataType type = ACL_INT8) {
    quantized result;
    const float most = type == ACL_INT8 ? 127 : type == ACL_FLOAT8_E5M2 ? 57344 : 448;
    for (size_t begin = 0; begin < u.size(); begin += columns) {
        float largest = 0;
        for (size_t c = 0; c < columns; ++c) largest = std::fmax(largest, std::fabs(float(u[begin + c])));
        const float scale = largest / most, factor = std::isfinite(1 / scale) ? 1 / scale : 0;
        result.scales.push_back(double(scale));
        for (size_t c = 0; c < columns; ++c) result.y.push_back(double(float(u[begin + c]) * factor));
    }
    result.y = as_type(result.y, type);
    return result;
}

values normalized(const values &x, const values &gamma, const dims_t &dims, double epsilon) {
    const acl_tensor src(dims, ACL_FLOAT), weight({dims.back()}, ACL_FLOAT), y(dims, ACL_FLOAT);
    dims_t rows = dims;
    rows.back() = 1;
    const acl_tensor rstd(rows, ACL_FLOAT);
    src.fill(x);
    weight.fill(gamma);
    expect_runs(aclnnRmsNormGetWorkspaceSize, aclnnRmsNorm, src.get(), weight.get(), epsilon, y.get(), rstd.get());
    return y.values();
}

values smoothed(values u, const values &smooth) {
    for (size_t i = 0; i < u.size(); ++i) u[i] = double(float(u[i]) * float(smooth[i % smooth.size()]));
    return u;
}

const dims_t SHAPES[] = {{3, 1}, {5, 7}, {4, 16}, {2, 3, 33}, {2, 2, 1, 2, 1, 2, 2, 129}, {3, 4096}};

TEST(aclnn_dynamic_quant, has_the_bits_of_its_steps) {
    for (const dims_t &dims : SHAPES)
        for (const aclDataType type : {ACL_FLOAT16, ACL_BF16})
            for (const layout how : {layout::dense, layout::gaps})
                for (const bool has_smooth : {false, true}) {
                    quant_problem p(dims, type, how);
                    p.run(has_smooth, false);
                    values u = normalized(p.x.values(), p.gamma.values(), dims, p.epsilon);
                    if (has_smooth) u = smoothed(u, p.smooth.values());
                    const quantized expected = quantize_rows(u, size_t(dims.back()));
                    EXPECT_EQ(p.y.values(), expected.y);
                    EXPECT_EQ(p.scale.values(), expected.scales);
                    EXPECT_TRUE(p.y.gaps_are_untouched());
                }
}

// beta is added in the multiplication's rounding: within one step, and nearly always none.
TEST(aclnn_dynamic_quant, beta_before_the_smooth_factors) {
    quant_problem p({6, 257});
    p.run(true, true);
    values u = normalized(p.x.values(), p.gamma.values(), p.dims, p.epsilon);
    const values beta = p.beta.values();
    for (size_t i = 0; i < u.size(); ++i) u[i] = double(float(u[i] + beta[i % beta.size()]));
    const quantized expected = quantize_rows(smoothed(u, p.smooth.values()), 257);
    const values y = p.y.values(), scales = p.scale.values();
    for (size_t i = 0; i < scales.size(); ++i) EXPECT_NEAR(scales[i], expected.scales[i], 1e-6 * scales[i]);
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected.y[i], 1);
}

void expect_quantized_sum(const dims_t &dims, aclDataType type, aclDataType to, layout how, int smooths) {
    quant_problem p(dims, type, how, to);
    const auto columns = size_t(dims.back());
    p.run_sum(smooths);
    const values sums = float_sums(p.x.values(), p.x2.values());
    const values u = normalized(sums, p.gamma.values(), dims, p.epsilon);
    const quantized first = quantize_rows(smooths > 0 ? smoothed(u, p.smooth.values()) : u, columns, to);
    const quantized second = quantize_rows(smoothed(u, p.smooth2.values()), columns, to);
    EXPECT_EQ(p.sum.values(), as_type(sums, type));
    EXPECT_EQ(p.y.values(), first.y);
    EXPECT_EQ(p.scale.values(), first.scales);
    if (smooths == 2) {
        EXPECT_EQ(p.y2.values(), second.y);
        EXPECT_EQ(p.scale2.values(), second.scales);
    } else {
        EXPECT_TRUE(p.y2.is_untouched() && p.scale2.is_untouched());
    }
}

TEST(aclnn_dynamic_quant, of_sums) {
    for (const dims_t &dims : SHAPES)
        for (const aclDataType type : {ACL_FLOAT16, ACL_BF16})
            for (const int smooths : {0, 1, 2}) {
                expect_quantized_sum(dims, type, ACL_INT8, layout::dense, smooths);
                expect_quantized_sum(dims, type, ACL_INT8, layout::gaps, smooths);
                expect_quantized_sum(dims, type, ACL_FLOAT8_E5M2, layout::gaps, smooths);
                expect_quantized_sum(dims, type, ACL_FLOAT8_E4M3FN, layout::dense, smooths);
            }
}

// The sum may take the place of x2 although both outputs read it; rows may be counted in one dimension.
TEST(aclnn_dynamic_quant, in_place_and_flat) {
    quant_problem apart({2, 3, 33}), together({2, 3, 33});
    apart.run_sum(2);
    const acl_tensor y({6, 33}, ACL_INT8), scale({6}, ACL_FLOAT);
    quant_problem &t = together;
    expect_runs(aclnnAddRmsNormDynamicQuantGetWorkspaceSize, aclnnAddRmsNormDynamicQuant, t.x.get(), t.x2.get(),
                t.gamma.get(), t.smooth.get(), t.smooth2.get(), t.epsilon, y.get(), t.y2.get(), t.x2.get(), scale.get(),
                t.scale2.get());
    EXPECT_EQ(y.bits(), apart.y.bits());
    EXPECT_EQ(scale.bits(), apart.scale.bits());
    EXPECT_EQ(t.y2.bits(), apart.y2.bits());
    EXPECT_EQ(t.x2.bits(), apart.sum.bits());
}

// Nobody looks at the second outputs where they are not asked for, but they are there.
TEST(aclnn_dynamic_quant, second_outputs_that_are_not_asked_for) {
    quant_problem p, expected;
    expected.run_sum(1);
    const acl_tensor y2({1}, ACL_FLOAT), scale2({1}, ACL_BF16);
    expect_runs(aclnnAddRmsNormDynamicQuantGetWorkspaceSize, aclnnAddRmsNormDynamicQuant, p.x.get(), p.x2.get(),
                p.gamma.get(), p.smooth.get(), nullptr, p.epsilon, p.y.get(), y2.get(), p.sum.get(), p.scale.get(),
                scale2.get());
    EXPECT_EQ(p.y.bits(), expected.y.bits());
    EXPECT_TRUE(y2.is_untouched() && scale2.is_untouched());
}

TEST(aclnn_dynamic_quant, rows_of_zeros) {
    quant_problem p;
    p.x.fill(values(24, 0.0));
    p.run(false, false);
    EXPECT_EQ(p.y.values(), values(24, 0.0));
    EXPECT_EQ(p.scale.values(), values(4, 0.0));
}

TEST(aclnn_dynamic_quant, sums_without_elements) {
    quant_problem p({0, 6});
    p.run_sum(2);
}

} // namespace
} // namespace jitnorm::tests
