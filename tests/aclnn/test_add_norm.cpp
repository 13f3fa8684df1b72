// SPDX-License-Identifier: Apache-2.0
// aclnnAddRmsNorm, aclnnAddLayerNorm and aclnnGemmaRmsNorm: the sum's bits, results against plain formulas, and every
// error of the contracts, provoked one at a time.
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_gemma_rms_norm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "family_rig.hpp"
#include "rig/oracle.hpp"

namespace jitnorm::tests {
namespace {

constexpr aclnnStatus NULLPTR = 161001, INVALID = 161002, TILING = 561002;
constexpr aclDataType TYPES[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

struct sum_case {
    dims_t dims = {4, 6};
    size_t normalized = 1;
    aclDataType x1 = ACL_FLOAT, x2 = ACL_FLOAT, affine = ACL_FLOAT, out = ACL_FLOAT;
    layout how = layout::dense;
    bool has_bias = false;

    dims_t columns() const { return {dims.end() - int64_t(normalized), dims.end()}; }
    dims_t statistics() const {
        dims_t result = dims;
        std::fill(result.end() - int64_t(normalized), result.end(), 1);
        return result;
    }
};

struct sum_problem {
    sum_case c;
    acl_tensor x1, x2, gamma, beta, bias, y, mean, rstd, x;
    double epsilon = 1e-5;
    bool additional = true;
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;

    explicit sum_problem(const sum_case &what = {})
        : c(what), x1(filled(c.dims, c.x1, 0.5, 1, 1, c.how)), x2(filled(c.dims, c.x2, 0.25, 2, 2, c.how)),
          gamma(filled(c.columns(), c.affine, 1, 0.5, 3, c.how)), beta(filled(c.columns(), c.affine, 0, 1, 4, c.how)),
          bias(filled(c.columns(), c.out, 0.5, 1, 5, c.how)), y(c.dims, c.out), mean(c.statistics(), ACL_FLOAT),
          rstd(c.statistics(), ACL_FLOAT), x(c.dims, c.out) {}

    aclnnStatus first_rms(uint64_t *size, aclOpExecutor **made) const {
        return aclnnAddRmsNormGetWorkspaceSize(x1.get(), x2.get(), gamma.get(), epsilon, y.get(), rstd.get(), x.get(),
                                               size, made);
    }
    aclnnStatus first_layer(uint64_t *size, aclOpExecutor **made) const {
        return aclnnAddLayerNormGetWorkspaceSize(x1.get(), x2.get(), gamma.get(), beta.get(),
                                                 c.has_bias ? bias.get() : nullptr, epsilon, additional, y.get(),
                                                 mean.get(), rstd.get(), x.get(), size, made);
    }

    // The sum has its bits; the rest is judged for the sum before it is rounded.
    void judge(bool is_rms) const {
        oracle_problem<double> q;
        q.rms = is_rms;
        q.src = float_sums(x1.values(), x2.values(), c.has_bias ? bias.values() : values{});
        q.rows = rstd.count();
        q.columns = gamma.count();
        q.epsilon = double(float(epsilon));
        q.scale = gamma.values();
        if (!is_rms) q.shift = beta.values();
        const oracle_forward_result<double> expected = oracle_forward(q);
        values sums = q.src, deviations;
        for (double &sum : sums) sum = as_type(sum, c.out);
        for (const double v : expected.variance) deviations.push_back(1 / std::sqrt(v + q.epsilon));
        if (additional) {
            EXPECT_EQ(x.values(), sums);
        } else {
            EXPECT_TRUE(x.is_untouched());
        }
        expect_near_all(y.values(), expected.dst, (1e-6 + half_ulp_of(c.out)) * (largest_of(expected.dst) + 1), "y");
        expect_near_all(rstd.values(), deviations, 1e-6 * largest_of(deviations), "rstd");
        if (!is_rms) expect_near_all(mean.values(), expected.mean, 1e-6 * (largest_of(expected.mean) + 1), "mean");
    }
    void run_rms() {
        ASSERT_EQ(first_rms(&bytes, &executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run_exactly(aclnnAddRmsNorm, bytes, executor), ACLNN_SUCCESS);
    }
    void run_layer() {
        ASSERT_EQ(first_layer(&bytes, &executor), ACLNN_SUCCESS) << aclGetRecentErrMsg();
        ASSERT_EQ(run_exactly(aclnnAddLayerNorm, bytes, executor), ACLNN_SUCCESS);
    }
};

const dims_t SHAPES[] = {{37}, {5, 1}, {3, 16}, {4, 3, 19}, {2, 3, 4, 5}, {2, 1, 3, 2, 1, 2, 3, 17}, {2, 5000}};

TEST(aclnn_add_norm, rms) {
    for (const dims_t &dims : SHAPES)
        for (size_t normalized = 1; normalized <= dims.size(); ++normalized)
            for (const aclDataType type : TYPES)
                for (const layout how : {layout::dense, layout::gaps, layout::reversed}) {
                    sum_problem p({dims, normalized, type, type, type, type, how});
                    p.run_rms();
                    p.judge(true);
                }
}

TEST(aclnn_add_norm, layer) {
    struct types {
        aclDataType x1, x2, affine, out;
    };
    std::vector<types> all;
    for (const aclDataType type : TYPES) {
        all.push_back({type, type, type, type});
        if (type == ACL_FLOAT) continue;
        all.push_back({type, type, ACL_FLOAT, type});
        all.push_back({type, ACL_FLOAT, ACL_FLOAT, ACL_FLOAT});
        all.push_back({ACL_FLOAT, type, ACL_FLOAT, ACL_FLOAT});
    }
    for (const dims_t &dims : SHAPES)
        for (const types &t : all)
            for (const bool has_bias : {false, true})
                for (const layout how : {layout::dense, layout::gaps}) {
                    sum_problem p({dims, 1, t.x1, t.x2, t.affine, t.out, how, has_bias});
                    p.additional = dims.size() % 2 == 0;
                    p.run_layer();
                    p.judge(false);
                }
}

TEST(aclnn_add_norm, a_bias_that_every_row_has) {
    sum_problem p({{4, 3, 19}, 1}), expected(p.c);
    expected.c.has_bias = true;
    expected.run_layer();
    acl_tensor whole({4, 3, 19}, ACL_FLOAT, dims_t{0, 0, 1}, 0);
    values repeated;
    for (int i = 0; i < 12; ++i) {
        const values row = p.bias.values();
        repeated.insert(repeated.end(), row.begin(), row.end());
    }
    whole.fill(repeated);
    ASSERT_EQ(aclnnAddLayerNormGetWorkspaceSize(p.x1.get(), p.x2.get(), p.gamma.get(), p.beta.get(), whole.get(),
                                                p.epsilon, true, p.y.get(), p.mean.get(), p.rstd.get(), p.x.get(),
                                                &p.bytes, &p.executor),
              ACLNN_SUCCESS);
    ASSERT_EQ(run_exactly(aclnnAddLayerNorm, p.bytes, p.executor), ACLNN_SUCCESS);
    EXPECT_EQ(p.y.bits(), expected.y.bits());
    EXPECT_EQ(p.x.bits(), expected.x.bits());
    const acl_tensor each({4, 3, 19}, ACL_FLOAT);
    expect_refused(TILING, "a value for each element", [&](auto size, auto made) {
        return aclnnAddLayerNormGetWorkspaceSize(p.x1.get(), p.x2.get(), p.gamma.get(), p.beta.get(), each.get(),
                                                 p.epsilon, true, p.y.get(), p.mean.get(), p.rstd.get(), p.x.get(),
                                                 size, made);
    });
}

TEST(aclnn_add_norm, rms_without_statistics) {
    for (const aclDataType type : {ACL_FLOAT16, ACL_BF16})
        for (const bool has_sum : {false, true}) {
            sum_problem p({{4, 3, 19}, 1, type, type, type, type}), whole(p.c);
            whole.run_rms();
            const acl_tensor gamma({1, 19}, type);
            gamma.fill(p.gamma.values());
            ASSERT_EQ(aclnnAddRmsNormGetWorkspaceSize(p.x1.get(), p.x2.get(), gamma.get(), p.epsilon, p.y.get(),
                                                      nullptr, has_sum ? p.x.get() : nullptr, &p.bytes, &p.executor),
                      ACLNN_SUCCESS)
                << aclGetRecentErrMsg();
            ASSERT_EQ(run_exactly(aclnnAddRmsNorm, p.bytes, p.executor), ACLNN_SUCCESS);
            EXPECT_EQ(p.y.bits(), whole.y.bits());
            if (has_sum) {
                EXPECT_EQ(p.x.bits(), whole.x.bits());
            }
        }
}

TEST(aclnn_add_norm, in_place) {
    sum_problem apart, together;
    apart.run_rms();
    ASSERT_EQ(aclnnAddRmsNormGetWorkspaceSize(together.x1.get(), together.x2.get(), together.gamma.get(), 1e-5,
                                              together.x1.get(), together.rstd.get(), together.x2.get(),
                                              &together.bytes, &together.executor),
              ACLNN_SUCCESS);
    ASSERT_EQ(run_exactly(aclnnAddRmsNorm, together.bytes, together.executor), ACLNN_SUCCESS);
    EXPECT_EQ(together.x1.bits(), apart.y.bits());
    EXPECT_EQ(together.x2.bits(), apart.x.bits());
    sum_problem p;
    ASSERT_EQ(aclnnAddRmsNormGetWorkspaceSize(p.x1.get(), p.x2.get(), p.gamma.get(), 1e-5, p.y.get(), p.rstd.get(),
                                              p.y.get(), &p.bytes, &p.executor),
              ACLNN_SUCCESS);
    EXPECT_EQ(run_exactly(aclnnAddRmsNorm, p.bytes, p.executor), INVALID) << "yOut and xOut at one place";
}

TEST(aclnn_add_norm, rms_without_elements) {
    for (const dims_t &dims : {dims_t{0, 6}, {4, 0}}) {
        sum_problem p({dims, 1});
        p.run_rms();
        EXPECT_TRUE(p.rstd.is_untouched());
    }
}

// ---------------------------------------------------------------- errors

struct wrong_tensor {
    acl_owned<aclTensor> handle;
    explicit wrong_tensor(const dims_t &dims, aclDataType type = ACL_FLOAT, dims_t strides = {}) {
        static float memory[4096];
        if (strides.empty()) strides = strides_of(dims, layout::dense);
        handle.reset(aclCreateTensor(dims.data(), dims.size(), type, strides.data(), 0, ACL_FORMAT_ND, dims.data(),
                                     dims.size(), memory));
    }
};

// One of the tensors is exchanged, by its place among the parameters.
void refuse_rms(aclnnStatus status, const char *what, size_t place, const aclTensor *t, double epsilon = 1e-5) {
    const sum_problem p;
    std::vector<const aclTensor *> a = {p.x1.get(), p.x2.get(), p.gamma.get(), p.y.get(), p.rstd.get(), p.x.get()};
    if (place < a.size()) a[place] = t;
    expect_refused(status, what, [&](auto size, auto made) {
        return aclnnAddRmsNormGetWorkspaceSize(a[0], a[1], a[2], epsilon, const_cast<aclTensor *>(a[3]),
                                               const_cast<aclTensor *>(a[4]), const_cast<aclTensor *>(a[5]), size,
                                               made);
    });
}
void refuse_layer(aclnnStatus status, const char *what, size_t place, const aclTensor *t, double epsilon = 1e-5) {
    const sum_problem p;
    std::vector<const aclTensor *> a = {p.x1.get(), p.x2.get(),   p.gamma.get(), p.beta.get(), p.bias.get(),
                                        p.y.get(),  p.mean.get(), p.rstd.get(),  p.x.get()};
    if (place < a.size()) a[place] = t;
    expect_refused(status, what, [&](auto size, auto made) {
        return aclnnAddLayerNormGetWorkspaceSize(a[0], a[1], a[2], a[3], a[4], epsilon, true, a[5], a[6], a[7], a[8],
                                                 size, made);
    });
}
constexpr size_t NOWHERE = 99, RMS_TENSORS = 6, LAYER_TENSORS = 9, BIAS = 4, RMS_RSTD = 4;

TEST(aclnn_add_norm_errors, null_pointers) {
    const sum_problem p;
    for (size_t i = 0; i < RMS_TENSORS; ++i)
        refuse_rms(i == RMS_RSTD ? INVALID : NULLPTR, "rms", i, nullptr); // FLOAT without rstdOut
    for (size_t i = 0; i < LAYER_TENSORS; ++i)
        if (i != BIAS) refuse_layer(NULLPTR, "layer", i, nullptr);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    EXPECT_EQ(p.first_rms(nullptr, &executor), NULLPTR);
    EXPECT_EQ(p.first_rms(&bytes, nullptr), NULLPTR);
    EXPECT_EQ(p.first_layer(nullptr, &executor), NULLPTR);
    EXPECT_EQ(p.first_layer(&bytes, nullptr), NULLPTR);
    for (const auto second : {aclnnAddRmsNorm, aclnnAddLayerNorm, aclnnGemmaRmsNorm})
        EXPECT_EQ(second(nullptr, 0, nullptr, nullptr), NULLPTR);
}

TEST(aclnn_add_norm_errors, types) {
    for (const aclDataType type : {ACL_DOUBLE, ACL_INT8, ACL_DT_UNDEFINED, ACL_BF16}) {
        const wrong_tensor t({4, 6}, type);
        for (size_t i = 0; i < RMS_TENSORS; ++i) refuse_rms(INVALID, "rms", i, t.handle.get());
        for (size_t i = type == ACL_BF16 ? 2 : 0; i < LAYER_TENSORS; ++i) // x1 or x2 may be BF16
            refuse_layer(INVALID, "layer", i, t.handle.get());
    }
    sum_problem mixed({{4, 6}, 1, ACL_BF16, ACL_FLOAT16});
    expect_refused(INVALID, "BF16 and FLOAT16", [&](auto s, auto e) { return mixed.first_layer(s, e); });
    sum_problem narrow({{4, 6}, 1, ACL_BF16, ACL_BF16, ACL_FLOAT16, ACL_BF16});
    expect_refused(INVALID, "gamma of the other type", [&](auto s, auto e) { return narrow.first_layer(s, e); });
    sum_problem out({{4, 6}, 1, ACL_BF16, ACL_FLOAT, ACL_FLOAT, ACL_BF16});
    expect_refused(INVALID, "a narrow yOut", [&](auto s, auto e) { return out.first_layer(s, e); });
}

TEST(aclnn_add_norm_errors, shapes_and_views) {
    for (const dims_t &dims : {dims_t{}, {4, 5}, {5, 6}, {7}, {4, 6, 1}, {1, 1, 1, 1, 1, 1, 1, 4, 6}, {-4, 6}}) {
        const wrong_tensor t(dims);
        for (size_t i = 0; i < RMS_TENSORS; ++i) refuse_rms(INVALID, "rms", i, t.handle.get());
        for (size_t i = 0; i < LAYER_TENSORS; ++i) refuse_layer(TILING, "layer", i, t.handle.get());
    }
    const wrong_tensor overlapping({4, 6}, ACL_FLOAT, {0, 1}), spread({4, 6}, ACL_FLOAT, {12, 2});
    for (const size_t i : {3, 5}) refuse_rms(INVALID, "outputs", i, overlapping.handle.get());
    for (const size_t i : {5, 8}) {
        refuse_layer(TILING, "outputs", i, overlapping.handle.get());
        refuse_layer(TILING, "not contiguous", i, spread.handle.get());
    }
    sum_problem empty({{4, 0}, 1});
    expect_refused(TILING, "no elements", [&](auto s, auto e) { return empty.first_layer(s, e); });
}

TEST(aclnn_add_norm_errors, epsilon) {
    for (const double epsilon : {-1e-5, double(INFINITY), double(NAN)}) {
        refuse_rms(INVALID, "rms", NOWHERE, nullptr, epsilon);
        refuse_layer(TILING, "layer", NOWHERE, nullptr, epsilon);
    }
}

TEST(aclnn_add_norm_errors, without_statistics) {
    const sum_problem p({{4, 6}, 1, ACL_BF16, ACL_BF16, ACL_BF16, ACL_BF16});
    expect_refused(INVALID, "gamma [D]", [&](auto s, auto e) {
        return aclnnAddRmsNormGetWorkspaceSize(p.x1.get(), p.x2.get(), p.gamma.get(), 1e-5, p.y.get(), nullptr, nullptr,
                                               s, e);
    });
}

// ---------------------------------------------------------------- weights stored minus one

TEST(aclnn_gemma_rms_norm, adds_one_to_its_weights) {
    for (const auto &[data, weights] :
         {std::pair{ACL_FLOAT, ACL_FLOAT}, {ACL_BF16, ACL_FLOAT}, {ACL_FLOAT16, ACL_FLOAT16}}) {
        const acl_tensor x = filled({5, 33}, data, 0.5, 1, 1), gamma = filled({33}, weights, 0, 0.25, 2),
                         one_more({33}, ACL_FLOAT), y({5, 33}, data), rstd({5, 1}, ACL_FLOAT), expected({5, 33}, data),
                         expected_rstd({5, 1}, ACL_FLOAT);
        values weight = gamma.values();
        for (double &w : weight) w = double(1 + float(w));
        one_more.fill(weight);
        uint64_t bytes = 0;
        aclOpExecutor *executor = nullptr;
        ASSERT_EQ(aclnnGemmaRmsNormGetWorkspaceSize(x.get(), gamma.get(), 1e-6, y.get(), rstd.get(), &bytes, &executor),
                  ACLNN_SUCCESS);
        ASSERT_EQ(run_exactly(aclnnGemmaRmsNorm, bytes, executor), ACLNN_SUCCESS);
        ASSERT_EQ(aclnnRmsNormGetWorkspaceSize(x.get(), one_more.get(), 1e-6, expected.get(), expected_rstd.get(),
                                               &bytes, &executor),
                  ACLNN_SUCCESS);
        ASSERT_EQ(run_exactly(aclnnRmsNorm, bytes, executor), ACLNN_SUCCESS);
        EXPECT_EQ(y.bits(), expected.bits());
        EXPECT_EQ(rstd.bits(), expected_rstd.bits());
    }
    const acl_tensor x = filled({5, 33}, ACL_FLOAT, 0, 1, 1), short_gamma({32}, ACL_FLOAT), y({5, 33}, ACL_FLOAT),
                     rstd({5, 1}, ACL_FLOAT);
    expect_refused(TILING, "gamma", [&](auto s, auto e) {
        return aclnnGemmaRmsNormGetWorkspaceSize(x.get(), short_gamma.get(), 1e-6, y.get(), rstd.get(), s, e);
    });
    expect_refused(NULLPTR, "gamma", [&](auto s, auto e) {
        return aclnnGemmaRmsNormGetWorkspaceSize(x.get(), nullptr, 1e-6, y.get(), rstd.get(), s, e);
    });
}

} // namespace
} // namespace jitnorm::tests
