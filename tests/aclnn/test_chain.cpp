// SPDX-License-Identifier: Apache-2.0
// Forward chained into backward, as a training step has it, by the bits of the reference.
#include "aclnnop/aclnn_layer_norm.h"
#include "chain.hpp"

namespace jitnorm::tests {
namespace {

struct shape_case {
    dims_t dims;
    size_t normalized;
};

const shape_case SHAPES[] = {
    {{7}, 1},
    {{5, 16}, 1},
    {{4, 33}, 2},
    {{3, 4, 40}, 1},
    {{3, 4, 10}, 2},
    {{2, 3, 5}, 3},
    {{2, 3, 4, 17}, 1},
    {{2, 3, 4, 5}, 2},
    {{2, 3, 4, 5}, 3},
    {{2, 3, 4, 5}, 4},
    {{2, 1, 3, 2, 20}, 1},
    {{2, 2, 3, 4, 5}, 3},
    {{2, 2, 2, 3, 2, 5}, 4},
    {{2, 1, 2, 2, 3, 2, 3}, 2},
    {{2, 1, 2, 2, 1, 3, 2, 8}, 1},
    {{2, 1, 2, 2, 1, 3, 2, 5}, 4},
};

TEST(aclnn_chain, every_suffix_of_every_rank_in_every_type) {
    for (const shape_case &shape : SHAPES)
        for (const aclDataType data : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16})
            for (const aclDataType affine : {ACL_FLOAT, data})
                for (const aclDataType statistics : {ACL_FLOAT, data})
                    for (const bool without_ones : {false, true}) {
                        chain_case c;
                        c.dims = shape.dims;
                        c.normalized = shape.normalized;
                        c.data = data;
                        c.affine = affine;
                        c.statistics = statistics;
                        c.statistics_without_ones = without_ones;
                        run_and_judge(c);
                    }
}

TEST(aclnn_chain, every_mask_with_and_without_weight_and_bias) {
    for (int mask = 0; mask < 8; ++mask)
        for (const bool weight : {true, false})
            for (const bool bias : {true, false})
                for (const bool masked_are_null : {true, false}) {
                    chain_case c;
                    c.dims = {3, 4, 5, 6};
                    c.normalized = 2;
                    c.weight = weight;
                    c.bias = bias;
                    c.mask = {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
                    c.masked_are_null = masked_are_null;
                    run_and_judge(c);
                }
}

TEST(aclnn_chain, statistics_are_written_where_they_are_wanted) {
    const chain_case c = {.dims = {9, 4, 30}};
    chain both(c);
    both.run_forward();
    for (const bool wants_mean : {false, true})
        for (const bool wants_rstd : {false, true}) {
            const chain t(c);
            expect_runs(aclnnLayerNormGetWorkspaceSize, aclnnLayerNorm, t.x.get(),
                        int_array(c.normalized_shape()).get(), t.w.get(), t.b.get(), c.eps, t.y.get(),
                        wants_mean ? t.mu.get() : nullptr, wants_rstd ? t.rs.get() : nullptr);
            EXPECT_EQ(t.y.bits(), both.y.bits());
            EXPECT_TRUE(wants_mean ? t.mu.bits() == both.mu.bits() : t.mu.is_untouched());
            EXPECT_TRUE(wants_rstd ? t.rs.bits() == both.rs.bits() : t.rs.is_untouched());
        }
}

TEST(aclnn_chain, shapes_that_models_have) {
    const shape_case shapes[] = {{{2, 4, 3, 2, 2, 2, 1}, 2}, {{42740}, 1},   {{200000, 1}, 1},
                                 {{8214, 1, 11}, 1},         {{64, 768}, 1}, {{2, 9000}, 1}};
    for (const shape_case &shape : shapes)
        for (const aclDataType affine : {ACL_BF16, ACL_FLOAT})
            for (int mask = 1; mask < 8; ++mask) {
                chain_case c;
                c.dims = shape.dims;
                c.normalized = shape.normalized;
                c.data = ACL_BF16;
                c.affine = affine;
                c.mask = {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
                run_and_judge(c);
            }
}

TEST(aclnn_chain, large_means) {
    chain_case c;
    c.dims = {16, 3, 100};
    c.normalized = 2;
    c.mean = 100;
    run_and_judge(c);
}

} // namespace
} // namespace jitnorm::tests
