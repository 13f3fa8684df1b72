// SPDX-License-Identifier: Apache-2.0
// The functions of a problem about its tensors and rows.
#include <gtest/gtest.h>

#include "norm/aliases.hpp"
#include "norm/row_groups.hpp"
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
    EXPECT_TRUE(at(jitnorm_forward_training, 0).writes(VARIANCE));
    EXPECT_FALSE(at(jitnorm_forward_training, global).writes(VARIANCE));
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

TEST(problem, types_of_rounded_values) {
    problem p = forward_problem();
    p.flags = jitnorm_round_normalized;
    p[SRC].data_type = jitnorm_bf16;
    EXPECT_EQ(p.normalized_type(), jitnorm_bf16);
    p[RESIDUAL] = dense({4, 6, 8});
    p[SUM] = dense({4, 6, 8}, jitnorm_f16);
    EXPECT_EQ(p.normalized_type(), jitnorm_f16);
    p.attr.multiplies_silu = true;
    EXPECT_EQ(p.normalized_type(), jitnorm_bf16) << "the product with silu is not stored before";
    p[SRC].data_type = jitnorm_s8;
    EXPECT_EQ(p.normalized_type(), jitnorm_f32) << "nothing is rounded to integers";
}

// Vectors of the row's length, and gradients laid out densely as what they are the gradients of.
TEST(problem, layouts_of_what_it_keeps_no_descriptor_of) {
    problem p = make_problem(jitnorm_backward, {4, 6, 8});
    p.flags = jitnorm_use_scale | jitnorm_use_shift;
    p.scale_shift_type = jitnorm_f16;
    p.diff_scale_shift_type = jitnorm_bf16;
    p.attr.bias_type = jitnorm_f32;
    EXPECT_EQ(p.layout(SCALE), dense({8}, jitnorm_f16));
    EXPECT_EQ(p.layout(BIAS), dense({8}, jitnorm_f32));
    p[SCALE] = dense({4, 1, 8}, jitnorm_f16);
    EXPECT_EQ(p.layout(DIFF_SCALE), dense({4, 1, 8}, jitnorm_bf16));
    EXPECT_EQ(p.layout(DIFF_SHIFT), dense({8}, jitnorm_bf16));
    p[SHIFT] = dense({1, 6, 8}, jitnorm_f16);
    EXPECT_EQ(p.layout(DIFF_SCALE), dense({4, 1, 8}, jitnorm_bf16));
    EXPECT_EQ(p.layout(DIFF_SHIFT), dense({1, 6, 8}, jitnorm_bf16));
}

// Keeps the arguments of its executions.
class noting_executor : public executor {
public:
    jitnorm_status_t execute(const arguments &args) const override {
        seen.push_back(args);
        return jitnorm_success;
    }
    mutable std::vector<arguments> seen;
};

TEST(row_groups, are_there_by_scale_or_shift_alone) {
    EXPECT_FALSE(forward_problem().has_row_groups());
    for (const slot s : {SCALE, SHIFT})
        for (const memory_desc &md : {dense({1, 1, 8}), dense({4, 1, 8})}) {
            problem p = forward_problem();
            p[s] = md;
            EXPECT_TRUE(p.has_row_groups());
        }
}

// Along the first row dimension and along the second one.
TEST(row_groups, have_the_tensors_of_their_rows) {
    for (const int along : {0, 1}) {
        problem p = forward_problem();
        p.flags = jitnorm_use_scale | jitnorm_use_shift;
        p[SCALE] = along == 0 ? dense({4, 1, 8}) : dense({1, 6, 8});
        p[SCALE].offset0 = 3;
        p[SHIFT] = dense({1, 1, 8});
        const dim_t rows_of_step = along == 0 ? 6 : 1, count = along == 0 ? 4 : 6;
        std::byte src[1], dst[1], mean[1], scale[1], shift[1]; // nobody reads or writes them
        arguments all;
        for (const auto &[s, first] : {std::pair(SRC, src), std::pair(DST, dst), std::pair(MEAN, mean),
                                       std::pair(SCALE, scale), std::pair(SHIFT, shift)})
            all.set(s, first);
        const row_groups groups(p);
        ASSERT_EQ(groups.count(), count);
        noting_executor one;
        ASSERT_EQ(groups.execute(one, {0, count}, all), jitnorm_success);
        ASSERT_EQ(one.seen.size(), size_t(count));
        for (dim_t g = 0; g < count; ++g) {
            const auto bytes = [&](slot s) {
                return reinterpret_cast<intptr_t>(one.seen[size_t(g)][s]) - reinterpret_cast<intptr_t>(all[s]);
            };
            EXPECT_EQ(bytes(SRC), g * rows_of_step * 8 * dim_t(sizeof(float))) << g;
            EXPECT_EQ(bytes(DST), g * rows_of_step * 8 * dim_t(sizeof(float))) << g;
            EXPECT_EQ(bytes(MEAN), g * rows_of_step * dim_t(sizeof(float))) << g;
            EXPECT_EQ(bytes(SCALE), (3 + g * 8) * dim_t(sizeof(float))) << g;
            EXPECT_EQ(bytes(SHIFT), 0) << g;
            EXPECT_EQ(one.seen[size_t(g)][VARIANCE], nullptr);
        }
    }
}

TEST(aliases, of_inputs_are_free_and_of_outputs_in_pairs) {
    const memory_desc md = dense({4, 8}), other = dense({4, 8}, jitnorm_bf16);
    const tensor_use src = {0, SRC, false, &md}, residual = {1, RESIDUAL, false, &md}, dst = {2, DST, true, &md},
                     sum = {3, SUM, true, &md};
    EXPECT_TRUE(may_share(src, residual));
    EXPECT_FALSE(may_share(dst, sum));
    EXPECT_TRUE(may_share(dst, src) && may_share(src, dst));
    EXPECT_FALSE(may_share(dst, residual) || may_share(sum, src));
    EXPECT_TRUE(may_share(sum, residual));
    EXPECT_FALSE(may_share({2, DST, true, &other}, src)) << "of another type";
    EXPECT_FALSE(may_share({2, DST, true, nullptr}, src));
    EXPECT_FALSE(may_share(dst, {0, SRC, false, &md, 1})) << "read by a later problem";
    EXPECT_TRUE(may_share({2, DST, true, &md, 1}, src));
}

TEST(aliases, name_the_output_first) {
    const memory_desc md = dense({4, 8});
    const tensor_use output = {7, SUM, true, &md}, input = {2, SRC, false, &md};
    for (const auto &uses : {std::vector{output, input}, {input, output}}) {
        const alias_check check(uses);
        const auto *found = check.find([](int) { return 0; });
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(std::pair(found->output, found->other), std::pair(7, 2));
    }
}

TEST(aliases, with_the_scratchpad_are_none) {
    int data[3];
    arguments args;
    args.set(SRC, &data[0]);
    args.set(DST, &data[1]);
    args.set(SCRATCHPAD, &data[0]);
    const problem p = make_problem(jitnorm_forward_inference, {4, 8});
    EXPECT_TRUE(alias_check(p, true).finds_alias(args));
    args.set(SCRATCHPAD, &data[2]);
    EXPECT_FALSE(alias_check(p, true).finds_alias(args));
}

TEST(problem, rows) {
    EXPECT_EQ(forward_problem().rows(), 24);
    EXPECT_EQ(forward_problem().row_length(), 8);
    EXPECT_EQ(make_problem(jitnorm_backward, {3, 0, 5, 7}).rows(), 0);
    EXPECT_EQ(make_problem(jitnorm_backward, {3, 0}).rows(), 3);
    problem p = forward_problem(); // rows of several axes
    p.normalized_axes = 2;
    EXPECT_EQ(p.row_ndims(), 1);
    EXPECT_EQ(p.rows(), 4);
    EXPECT_EQ(p.row_length(), 48);
    p[SRC].dims[2] = RUNTIME_DIM;
    EXPECT_EQ(p.row_length(), RUNTIME_DIM);
}

} // namespace
