// SPDX-License-Identifier: Apache-2.0
// aclnnAddRmsNorm, aclnnAddLayerNorm and aclnnGemmaRmsNorm: the sum's bits, and results against plain formulas.
#include "aclnnop/aclnn_gemma_rms_norm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "sum_problem.hpp"

namespace jitnorm::tests {
namespace {

constexpr aclDataType TYPES[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

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
            for (const added bias : {added::nothing, added::to_columns, added::to_elements})
                for (const layout how : {layout::dense, layout::gaps}) {
                    sum_problem p({dims, 1, t.x1, t.x2, t.affine, t.out, how, bias});
                    p.additional = dims.size() % 2 == 0;
                    p.run_layer();
                    p.judge(false);
                }
}

TEST(aclnn_add_norm, a_bias_that_every_row_has) {
    sum_problem p({{4, 3, 19}, 1}), expected(p.c);
    expected.c.bias = added::to_columns;
    expected.run_layer();
    acl_tensor whole({4, 3, 19}, ACL_FLOAT, dims_t{0, 0, 1}, 0);
    values repeated;
    for (int i = 0; i < 12; ++i) {
        const values row = p.bias.values();
        repeated.insert(repeated.end(), row.begin(), row.end());
    }
    whole.fill(repeated);
    expect_runs(aclnnAddLayerNormGetWorkspaceSize, aclnnAddLayerNorm, p.x1.get(), p.x2.get(), p.gamma.get(),
                p.beta.get(), whole.get(), p.epsilon, true, p.y.get(), p.mean.get(), p.rstd.get(), p.x.get());
    EXPECT_EQ(p.y.bits(), expected.y.bits());
    EXPECT_EQ(p.x.bits(), expected.x.bits());
}

TEST(aclnn_add_norm, rms_without_statistics) {
    for (const aclDataType type : {ACL_FLOAT16, ACL_BF16})
        for (const bool has_sum : {false, true}) {
            sum_problem p({{4, 3, 19}, 1, type, type, type, type}), whole(p.c);
            whole.run_rms();
            const acl_tensor gamma({1, 19}, type);
            gamma.fill(p.gamma.values());
            expect_runs(aclnnAddRmsNormGetWorkspaceSize, aclnnAddRmsNorm, p.x1.get(), p.x2.get(), gamma.get(),
                        p.epsilon, p.y.get(), nullptr, has_sum ? p.x.get() : nullptr);
            EXPECT_EQ(p.y.bits(), whole.y.bits());
            if (has_sum) {
                EXPECT_EQ(p.x.bits(), whole.x.bits());
            }
        }
}

TEST(aclnn_add_norm, rms_without_elements) {
    for (const dims_t &dims : {dims_t{0, 6}, {4, 0}}) {
        sum_problem p({dims, 1});
        p.run_rms();
        EXPECT_TRUE(p.rstd.is_untouched());
    }
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
        expect_runs(aclnnGemmaRmsNormGetWorkspaceSize, aclnnGemmaRmsNorm, x.get(), gamma.get(), 1e-6, y.get(),
                    rstd.get());
        expect_runs(aclnnRmsNormGetWorkspaceSize, aclnnRmsNorm, x.get(), one_more.get(), 1e-6, expected.get(),
                    expected_rstd.get());
        EXPECT_EQ(y.bits(), expected.bits());
        EXPECT_EQ(rstd.bits(), expected_rstd.bits());
    }
}

} // namespace
} // namespace jitnorm::tests
