// SPDX-License-Identifier: Apache-2.0
// aclnnRmsNormDynamicQuant and aclnnAddRmsNormDynamicQuant: scales and integers against the norm in f32, quantized in
// plain loops; every error of the contracts, provoked one at a time.
#include "aclnnop/aclnn_add_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_dynamic_quant.h"
#include "family_rig.hpp"

namespace jitnorm::tests {
namespace {

constexpr aclnnStatus NULLPTR = 161001, INVALID = 161002, TILING = 561002;
constexpr int64_t INT8_TYPE = 2;

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
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    EXPECT_EQ(aclnnRmsNormGetWorkspaceSize(src.get(), weight.get(), epsilon, y.get(), rstd.get(), &bytes, &executor),
              ACLNN_SUCCESS);
    EXPECT_EQ(run_exactly(aclnnRmsNorm, bytes, executor), ACLNN_SUCCESS);
    return y.values();
}

values smoothed(values u, const values &smooth) {
    for (size_t i = 0; i < u.size(); ++i) u[i] = double(float(u[i]) * float(smooth[i % smooth.size()]));
    return u;
}

dims_t rows_of(const dims_t &dims) { return {dims.begin(), dims.end() - 1}; }

struct quant_problem {
    dims_t dims;
    acl_tensor x, x2, gamma, smooth, smooth2, beta, y, y2, sum, scale, scale2;
    double epsilon = 1e-6;
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;

    explicit quant_problem(const dims_t &shape = {4, 6}, aclDataType type = ACL_BF16, layout how = layout::dense,
                           aclDataType to = ACL_INT8)
        : dims(shape), x(filled(dims, type, 0.25, 1, 1, how)), x2(filled(dims, type, 0, 2, 2, how)),
          gamma(filled({dims.back()}, type, 1, 0.5, 3, how)), smooth(filled({dims.back()}, type, 1, 0.25, 4, how)),
          smooth2(filled({dims.back()}, type, 2, 0.5, 5, how)), beta(filled({dims.back()}, type, 0, 1, 6, how)),
          y(dims, to, how), y2(dims, to, how), sum(dims, type, how), scale(rows_of(dims), ACL_FLOAT),
          scale2(rows_of(dims), ACL_FLOAT) {}

    aclnnStatus first(bool has_smooth, bool has_beta, uint64_t *size, aclOpExecutor **made) const {
        return aclnnRmsNormDynamicQuantGetWorkspaceSize(x.get(), gamma.get(), has_smooth ? smooth.get() : nullptr,
                                                        has_beta ? beta.get() : nullptr, epsilon, INT8_TYPE, y.get(),
                                                        scale.get(), size, made);
    }
    aclnnStatus first_sum(int smooths, uint64_t *size, aclOpExecutor **made) const {
        return aclnnAddRmsNormDynamicQuantGetWorkspaceSize(
            x.get(), x2.get(), gamma.get(), smooths > 0 ? smooth.get() : nullptr, smooths > 1 ? smooth2.get() : nullptr,
            epsilon, y.get(), y2.get(), sum.get(), scale.get(), scale2.get(), size, made);
    }
    void run(bool has_smooth, bool has_beta) {
        ASSERT_EQ(first(has_smooth, has_beta, &bytes, &executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run_exactly(aclnnRmsNormDynamicQuant, bytes, executor), ACLNN_SUCCESS);
    }
    void run_sum(int smooths) {
        ASSERT_EQ(first_sum(smooths, &bytes, &executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, bytes, executor), ACLNN_SUCCESS);
    }
};

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
    ASSERT_EQ(aclnnAddRmsNormDynamicQuantGetWorkspaceSize(t.x.get(), t.x2.get(), t.gamma.get(), t.smooth.get(),
                                                          t.smooth2.get(), t.epsilon, y.get(), t.y2.get(), t.x2.get(),
                                                          scale.get(), t.scale2.get(), &t.bytes, &t.executor),
              ACLNN_SUCCESS)
        << aclGetRecentErrMsg();
    ASSERT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, t.bytes, t.executor), ACLNN_SUCCESS);
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
    ASSERT_EQ(aclnnAddRmsNormDynamicQuantGetWorkspaceSize(p.x.get(), p.x2.get(), p.gamma.get(), p.smooth.get(), nullptr,
                                                          p.epsilon, p.y.get(), y2.get(), p.sum.get(), p.scale.get(),
                                                          scale2.get(), &p.bytes, &p.executor),
              ACLNN_SUCCESS)
        << aclGetRecentErrMsg();
    ASSERT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, p.bytes, p.executor), ACLNN_SUCCESS);
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

// Addresses are counted as parameters are, for both outputs.
TEST(aclnn_dynamic_quant, addresses_of_both_problems) {
    quant_problem p, other;
    ASSERT_EQ(aclnnAddRmsNormDynamicQuantGetWorkspaceSize(
                  p.x.get(), p.x2.get(), p.gamma.get(), p.smooth.get(), p.smooth2.get(), p.epsilon, p.y.get(),
                  p.y2.get(), p.sum.get(), p.scale.get(), p.scale2.get(), &p.bytes, &p.executor),
              ACLNN_SUCCESS);
    EXPECT_EQ(aclSetInputTensorAddr(p.executor, 0, p.x.get(), other.x.data()), ACLNN_SUCCESS);
    EXPECT_EQ(aclSetOutputTensorAddr(p.executor, 1, p.y2.get(), other.y2.data()), ACLNN_SUCCESS);
    other.x.fill_normal(0, 3, 9);
    ASSERT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, p.bytes, p.executor), ACLNN_SUCCESS);
    quant_problem expected;
    expected.x.fill_normal(0, 3, 9);
    expected.run_sum(2);
    EXPECT_EQ(p.y.bits(), expected.y.bits());
    EXPECT_EQ(other.y2.bits(), expected.y2.bits());
}

// ---------------------------------------------------------------- errors

acl_owned<aclTensor> wrong(const dims_t &dims, aclDataType type, dims_t strides = {}) {
    static float memory[4096];
    if (strides.empty()) strides = strides_of(dims, layout::dense);
    return acl_owned<aclTensor>(aclCreateTensor(dims.data(), dims.size(), type, strides.data(), 0, ACL_FORMAT_ND,
                                                dims.data(), dims.size(), memory));
}

// One of the tensors is exchanged, by its place among the parameters: x, gamma, smooth, beta, y, scale.
void refuse(aclnnStatus status, const char *what, size_t place, const aclTensor *t, double epsilon = 1e-6,
            int64_t dst_type = INT8_TYPE) {
    const quant_problem p;
    std::vector<const aclTensor *> a = {p.x.get(),    p.gamma.get(), p.smooth.get(),
                                        p.beta.get(), p.y.get(),     p.scale.get()};
    if (place < a.size()) a[place] = t;
    expect_refused(status, what, [&](auto size, auto made) {
        return aclnnRmsNormDynamicQuantGetWorkspaceSize(a[0], a[1], a[2], a[3], epsilon, dst_type, a[4], a[5], size,
                                                        made);
    });
}
// x1, x2, gamma, smooth1, smooth2, y1, y2, x, scale1, scale2
void refuse_sum(aclnnStatus status, const char *what, size_t place, const aclTensor *t, double epsilon = 1e-6) {
    const quant_problem p;
    std::vector<const aclTensor *> a = {p.x.get(), p.x2.get(), p.gamma.get(), p.smooth.get(), p.smooth2.get(),
                                        p.y.get(), p.y2.get(), p.sum.get(),   p.scale.get(),  p.scale2.get()};
    if (place < a.size()) a[place] = t;
    const auto out = [&](size_t i) { return const_cast<aclTensor *>(a[i]); };
    expect_refused(status, what, [&](auto size, auto made) {
        return aclnnAddRmsNormDynamicQuantGetWorkspaceSize(a[0], a[1], a[2], a[3], a[4], epsilon, out(5), out(6),
                                                           out(7), out(8), out(9), size, made);
    });
}
constexpr size_t NOWHERE = 99, TENSORS = 6, SUM_TENSORS = 10;

TEST(aclnn_dynamic_quant_errors, null_pointers) {
    for (const size_t i : {0, 1, 4, 5}) refuse(NULLPTR, "one", i, nullptr);
    for (const size_t i : {0, 1, 2, 5, 6, 7, 8, 9}) refuse_sum(NULLPTR, "sum", i, nullptr);
    refuse_sum(TILING, "smoothScale2 alone", 3, nullptr);
    const quant_problem p;
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    for (const bool of_bytes : {false, true}) {
        uint64_t *const size = of_bytes ? nullptr : &bytes;
        aclOpExecutor **const made = of_bytes ? &executor : nullptr;
        EXPECT_EQ(p.first(true, true, size, made), NULLPTR);
        EXPECT_EQ(p.first_sum(2, size, made), NULLPTR);
    }
    for (const auto second : {aclnnRmsNormDynamicQuant, aclnnAddRmsNormDynamicQuant})
        EXPECT_EQ(second(nullptr, 0, nullptr, nullptr), NULLPTR);
}

TEST(aclnn_dynamic_quant_errors, of_the_second_calls) {
    quant_problem p({5, 33}, ACL_BF16, layout::gaps);
    ASSERT_EQ(p.first(true, true, &p.bytes, &p.executor), ACLNN_SUCCESS);
    ASSERT_GT(p.bytes, 0u);
    EXPECT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, p.bytes, p.executor), INVALID) << "another operation's";
    EXPECT_EQ(run_exactly(aclnnRmsNormDynamicQuant, p.bytes - 1, p.executor), INVALID);
    EXPECT_EQ(aclnnRmsNormDynamicQuant(nullptr, p.bytes, p.executor, nullptr), NULLPTR);
    EXPECT_TRUE(p.y.is_untouched() && p.scale.is_untouched());
    EXPECT_EQ(run_exactly(aclnnRmsNormDynamicQuant, p.bytes, p.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run_exactly(aclnnRmsNormDynamicQuant, p.bytes, p.executor), INVALID) << "it has ended";
    ASSERT_EQ(p.first_sum(2, &p.bytes, &p.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, p.bytes - 1, p.executor), INVALID);
    EXPECT_TRUE(p.y2.is_untouched() && p.sum.is_untouched());
    EXPECT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, p.bytes, p.executor), ACLNN_SUCCESS);
}

TEST(aclnn_dynamic_quant_errors, types) {
    for (const aclDataType type : {ACL_DOUBLE, ACL_FLOAT16, ACL_DT_UNDEFINED, ACL_UINT8, ACL_HIFLOAT8}) {
        const auto t = wrong({4, 6}, type);
        for (size_t i = 0; i < TENSORS; ++i) refuse(TILING, "one", i, t.get());
        for (size_t i = 0; i < SUM_TENSORS; ++i) refuse_sum(INVALID, "sum", i, t.get());
    }
    const quant_problem floats({4, 6}, ACL_FLOAT);
    expect_refused(TILING, "FLOAT", [&](auto s, auto e) {
        return aclnnRmsNormDynamicQuantGetWorkspaceSize(floats.x.get(), floats.gamma.get(), nullptr, nullptr, 1e-6,
                                                        INT8_TYPE, floats.y.get(), floats.scale.get(), s, e);
    });
    const auto f8 = wrong({4, 6}, ACL_FLOAT8_E4M3FN);
    for (size_t i = 0; i < TENSORS; ++i) refuse(TILING, "f8", i, f8.get());
    for (size_t i = 0; i < SUM_TENSORS; ++i) refuse_sum(INVALID, "f8, or y1 and y2 of two types", i, f8.get());
    for (const int64_t type : {-1, 0, 3, 34, 36}) refuse(TILING, "dstType", NOWHERE, nullptr, 1e-6, type);
}

TEST(aclnn_dynamic_quant_errors, shapes_and_views) {
    constexpr aclDataType OF[] = {ACL_BF16, ACL_BF16, ACL_BF16, ACL_BF16, ACL_INT8, ACL_FLOAT};
    constexpr aclDataType OF_SUM[] = {ACL_BF16, ACL_BF16, ACL_BF16, ACL_BF16,  ACL_BF16,
                                      ACL_INT8, ACL_INT8, ACL_BF16, ACL_FLOAT, ACL_FLOAT};
    for (const dims_t &dims : {dims_t{}, {4, 5}, {5, 6}, {7}, {4, 6, 1}, {1, 1, 1, 1, 1, 1, 1, 4, 6}, {-4, 6}}) {
        for (size_t i = 0; i < TENSORS; ++i) refuse(TILING, "one", i, wrong(dims, OF[i]).get());
        for (size_t i = 0; i < SUM_TENSORS; ++i) refuse_sum(TILING, "sum", i, wrong(dims, OF_SUM[i]).get());
    }
    refuse(TILING, "overlapping", 4, wrong({4, 6}, ACL_INT8, {0, 1}).get());
    refuse(TILING, "overlapping", 5, wrong({4}, ACL_FLOAT, {0}).get());
    refuse(TILING, "no elements", 0, wrong({0, 6}, ACL_BF16).get());
    for (const size_t i : {8, 9}) refuse_sum(TILING, "not contiguous", i, wrong({4}, ACL_FLOAT, {2}).get());
    for (const size_t i : {5, 6}) refuse_sum(TILING, "overlapping", i, wrong({4, 6}, ACL_INT8, {0, 1}).get());
}

TEST(aclnn_dynamic_quant_errors, epsilon) {
    for (const double epsilon : {-1e-6, double(INFINITY), double(NAN)}) {
        refuse(TILING, "one", NOWHERE, nullptr, epsilon);
        refuse_sum(TILING, "sum", NOWHERE, nullptr, epsilon);
    }
    refuse(TILING, "one", NOWHERE, nullptr, 0);
}

} // namespace
} // namespace jitnorm::tests
