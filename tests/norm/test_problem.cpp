// SPDX-License-Identifier: Apache-2.0
// The functions of a problem about its tensors and rows.
#include <gtest/gtest.h>

#include "support/problems.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

TEST(problem, knows_its_runtime_sizes) {
    EXPECT_FALSE(forward_problem().has_runtime_sizes());
    EXPECT_FALSE(backward_problem().has_runtime_sizes());
    for (const auto member : {SRC, DST, DIFF_DST, DIFF_SRC, VARIANCE}) {
        problem p = member == DST ? forward_problem() : backward_problem();
        p[member].strides[0] = RUNTIME_DIM;
        EXPECT_TRUE(p.has_runtime_sizes());
    }
    problem p = forward_problem();
    memory_desc src1 = dense({4, 6, 8});
    p.attr.post_ops.entries = {eltwise_post_op{}, binary_post_op{jitnorm_binary_add, src1}};
    EXPECT_FALSE(p.has_runtime_sizes());
    src1.strides[0] = RUNTIME_DIM;
    p.attr.post_ops.entries.push_back(binary_post_op{jitnorm_binary_add, src1});
    EXPECT_TRUE(p.has_runtime_sizes());
}

// The table of jitnorm.h: which statistics and gradients are read or written.
TEST(problem, tensors_by_kind_and_flags) {
    const auto at = [](jitnorm_prop_kind_t kind, unsigned flags) {
        problem p = make_problem(kind, {4, 8});
        p.flags = flags;
        return p;
    };
    const unsigned global = jitnorm_use_global_stats, rms = jitnorm_rms_norm;
    EXPECT_FALSE(at(jitnorm_forward_inference, 0).uses(VARIANCE));
    EXPECT_TRUE(at(jitnorm_forward_inference, global).statistics_are_inputs());
    EXPECT_TRUE(at(jitnorm_forward_inference, global).uses(MEAN));
    EXPECT_TRUE(at(jitnorm_forward_training, 0).statistics_are_outputs());
    EXPECT_FALSE(at(jitnorm_forward_training, global).statistics_are_outputs());
    EXPECT_TRUE(at(jitnorm_forward_inference, global | rms).uses(VARIANCE));
    EXPECT_FALSE(at(jitnorm_forward_inference, global | rms).uses(MEAN));
    EXPECT_FALSE(at(jitnorm_forward_training, rms).uses(MEAN));
    EXPECT_TRUE(at(jitnorm_backward, 0).statistics_are_inputs());
    EXPECT_FALSE(at(jitnorm_backward, rms).uses(MEAN));
    EXPECT_TRUE(at(jitnorm_backward, jitnorm_use_scale).writes(DIFF_SCALE));
    EXPECT_FALSE(at(jitnorm_backward, jitnorm_use_scale).writes(DIFF_SHIFT));
    EXPECT_FALSE(at(jitnorm_backward_data, jitnorm_use_scale).writes(DIFF_SCALE));
}

TEST(problem, what_is_left_out_is_not_written) {
    const auto with = [](problem p, slot s) {
        p.flags = jitnorm_use_scale | jitnorm_use_shift;
        p.omitted = bit_of(s);
        return p;
    };
    EXPECT_FALSE(with(forward_problem(), MEAN).uses(MEAN));
    EXPECT_TRUE(with(forward_problem(), MEAN).writes(VARIANCE));
    EXPECT_FALSE(with(forward_problem(), VARIANCE).uses(VARIANCE));
    EXPECT_TRUE(with(forward_problem(), VARIANCE).uses(MEAN));
    EXPECT_FALSE(with(forward_problem(), DIFF_SRC).writes(DIFF_SRC)); // which forward has none of
    EXPECT_TRUE(with(backward_problem(), MEAN).reads(MEAN));          // an input
    EXPECT_FALSE(with(backward_problem(), DIFF_SRC).writes(DIFF_SRC));
    EXPECT_FALSE(with(backward_problem(), DIFF_SCALE).writes(DIFF_SCALE));
    EXPECT_TRUE(with(backward_problem(), DIFF_SCALE).writes(DIFF_SHIFT));
    EXPECT_FALSE(with(backward_problem(), DIFF_SHIFT).writes(DIFF_SHIFT));
}

// Omitted tensors count, and so does the rounding of a sum.
TEST(problem, types_that_decide_how_rows_are_computed) {
    problem backward = backward_problem();
    backward[DIFF_SRC].data_type = jitnorm_f64;
    backward.omitted = bit_of(DIFF_SRC);
    EXPECT_TRUE(backward.computes_in_double());
    problem sum = forward_problem();
    sum[RESIDUAL] = dense({4, 6, 8});
    sum[SUM] = dense({4, 6, 8}, jitnorm_bf16);
    EXPECT_EQ(sum.row_type(), jitnorm_f32);
    sum.attr.normalizes_rounded_sum = true;
    EXPECT_EQ(sum.row_type(), jitnorm_bf16);
}

TEST(problem, rows_of_several_axes) {
    problem p = forward_problem();
    p.normalized_axes = 2;
    EXPECT_EQ(p.row_ndims(), 1);
    EXPECT_EQ(p.rows(), 4);
    EXPECT_EQ(p.row_length(), 48);
    p[SRC].dims[2] = RUNTIME_DIM;
    EXPECT_EQ(p.row_length(), RUNTIME_DIM);
}

TEST(problem, rows) {
    EXPECT_EQ(forward_problem().rows(), 24);
    EXPECT_EQ(forward_problem().row_length(), 8);
    EXPECT_EQ(make_problem(jitnorm_backward, {3, 0, 5, 7}).rows(), 0);
    EXPECT_EQ(make_problem(jitnorm_backward, {3, 0}).rows(), 3);
}

} // namespace
