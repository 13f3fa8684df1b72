// SPDX-License-Identifier: Apache-2.0
// What a problem says of its tensors and rows.
#include <gtest/gtest.h>

#include "rig/problems.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

TEST(problem, knows_its_runtime_sizes) {
    EXPECT_FALSE(forward_problem().has_runtime_sizes());
    EXPECT_FALSE(backward_problem().has_runtime_sizes());
    for (const auto member :
         {&problem::src, &problem::dst, &problem::diff_dst, &problem::diff_src, &problem::statistics}) {
        problem p = member == &problem::dst ? forward_problem() : backward_problem();
        (p.*member).strides[0] = RUNTIME_DIM;
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
    EXPECT_FALSE(at(jitnorm_forward_inference, 0).uses_variance());
    EXPECT_TRUE(at(jitnorm_forward_inference, global).statistics_are_inputs());
    EXPECT_TRUE(at(jitnorm_forward_inference, global).uses_mean());
    EXPECT_TRUE(at(jitnorm_forward_training, 0).statistics_are_outputs());
    EXPECT_FALSE(at(jitnorm_forward_training, global).statistics_are_outputs());
    EXPECT_TRUE(at(jitnorm_forward_inference, global | rms).uses_variance());
    EXPECT_FALSE(at(jitnorm_forward_inference, global | rms).uses_mean());
    EXPECT_FALSE(at(jitnorm_forward_training, rms).uses_mean());
    EXPECT_TRUE(at(jitnorm_backward, 0).statistics_are_inputs());
    EXPECT_FALSE(at(jitnorm_backward, rms).uses_mean());
    EXPECT_TRUE(at(jitnorm_backward, jitnorm_use_scale).wants_diff_scale());
    EXPECT_FALSE(at(jitnorm_backward, jitnorm_use_scale).wants_diff_shift());
    EXPECT_FALSE(at(jitnorm_backward_data, jitnorm_use_scale).wants_diff_scale());
}

TEST(problem, what_is_left_out_is_not_written) {
    const auto with = [](problem p, output o) {
        p.flags = jitnorm_use_scale | jitnorm_use_shift;
        p.left_out = unsigned(o);
        return p;
    };
    EXPECT_FALSE(with(forward_problem(), output::mean).uses_mean());
    EXPECT_TRUE(with(forward_problem(), output::mean).writes_variance());
    EXPECT_FALSE(with(forward_problem(), output::variance).uses_variance());
    EXPECT_TRUE(with(forward_problem(), output::variance).uses_statistics());
    EXPECT_FALSE(with(forward_problem(), output::diff_src).wants_diff_src()); // which forward has none of
    EXPECT_TRUE(with(backward_problem(), output::mean).reads_mean());         // an input
    EXPECT_FALSE(with(backward_problem(), output::diff_src).wants_diff_src());
    EXPECT_FALSE(with(backward_problem(), output::diff_scale).wants_diff_scale());
    EXPECT_TRUE(with(backward_problem(), output::diff_scale).wants_diff_shift());
    EXPECT_FALSE(with(backward_problem(), output::diff_shift).wants_diff_shift());
}

TEST(problem, rows_of_several_axes) {
    problem p = forward_problem();
    p.normalized_axes = 2;
    EXPECT_EQ(p.row_ndims(), 1);
    EXPECT_EQ(p.rows(), 4);
    EXPECT_EQ(p.row_length(), 48);
    p.src.dims[2] = RUNTIME_DIM;
    EXPECT_EQ(p.row_length(), RUNTIME_DIM);
}

TEST(problem, rows) {
    EXPECT_EQ(forward_problem().rows(), 24);
    EXPECT_EQ(forward_problem().row_length(), 8);
    EXPECT_EQ(make_problem(jitnorm_backward, {3, 0, 5, 7}).rows(), 0);
    EXPECT_EQ(make_problem(jitnorm_backward, {3, 0}).rows(), 3);
}

} // namespace
