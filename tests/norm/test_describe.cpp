// SPDX-License-Identifier: Apache-2.0
// The text of problems, in the syntax that benchdnn-lite reads.
#include <gtest/gtest.h>

#include "support/problems.hpp"
#include "support/undefined.hpp"
#include "tensor/names.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

TEST(describe, forward_training) {
    problem p = make_problem(jitnorm_forward_training, {128, 768});
    p.flags = jitnorm_use_scale | jitnorm_use_shift;
    EXPECT_EQ(describe(p), "--dir=FWD_D --dt=f32:f32 --tag=ab:ab --stat_tag=a --flags=CH --eps=1e-05 128x768");
}

TEST(describe, weights_stored_minus_one) {
    problem p = make_problem(jitnorm_forward_inference, {2, 8});
    p.flags = jitnorm_use_scale | jitnorm_rms_norm | jitnorm_scale_plus_one;
    EXPECT_EQ(describe(p), "--dir=FWD_I --dt=f32:f32 --tag=ab:ab --stat_tag=a --flags=CMP --eps=1e-05 2x8");
}

TEST(describe, rounded_values) {
    problem p = make_problem(jitnorm_forward_inference, {2, 8});
    p.flags = jitnorm_use_scale | jitnorm_rms_norm | jitnorm_round_normalized;
    EXPECT_EQ(describe(p), "--dir=FWD_I --dt=f32:f32 --tag=ab:ab --stat_tag=a --flags=CMR --eps=1e-05 2x8");
}

TEST(describe, scales_that_are_found) {
    problem p = make_problem(jitnorm_forward_inference, {2, 8});
    p[DST].data_type = jitnorm_s8;
    p[DST_SCALE] = dense({2, 1});
    EXPECT_EQ(describe(p), "--dir=FWD_I --dt=f32:s8 --tag=ab:ab --stat_tag=a --eps=1e-05 "
                           "--attr-scales=dst:per_row:f32:dynamic_amax 2x8");
    problem none = p;
    none[SRC] = none[DST] = dense({2, 0});
    none[DST_SCALE] = dense({2, 0});
    EXPECT_NE(describe(none).find(":dynamic_amax 2x0"), std::string::npos) << describe(none);
    p[DST_SCALE] = dense({2, 4});
    p.attr.src_scale = true;
    EXPECT_EQ(describe(p), "--dir=FWD_I --dt=f32:s8 --tag=ab:ab --stat_tag=a --eps=1e-05 "
                           "--attr-scales=src:common:1+dst:per_tensor:f32:1x2:dynamic_amax 2x8");
}

TEST(describe, what_only_some_front_ends_ask_for) {
    problem p = make_problem(jitnorm_backward, {2, 3, 8});
    p.flags = jitnorm_use_scale;
    p.normalized_axes = 2;
    p[VARIANCE] = dense({2}, jitnorm_bf16);
    p.form = statistics_form::inverse_deviation;
    p.omitted = bit_of(DIFF_SRC) | bit_of(DIFF_SCALE);
    p.scale_is_ones = true;
    EXPECT_EQ(describe(p), "--dir=BWD_DW --dt=f32:f32 --tag=abc:abc --stat_tag=a --flags=C --axes=2 --stat_dt=bf16 "
                           "--stat=rstd --left-out=diff_src+diff_scale --scale=ones --eps=1e-05 2x3x8");
}

// What front ends give as a float looks as it always did, though the problem keeps a double.
TEST(describe, an_epsilon_that_is_no_float) {
    problem p = make_problem(jitnorm_forward_inference, {2, 8});
    for (const auto &[epsilon, text] : {std::pair(double(1e-5f), "1e-05"), std::pair(1e-5, "1e-05:f64"),
                                        std::pair(0.25, "0.25"), std::pair(1e-300, "1e-300:f64")}) {
        p.epsilon = epsilon;
        EXPECT_EQ(describe(p), std::string("--dir=FWD_I --dt=f32:f32 --tag=ab:ab --stat_tag=a --eps=") + text + " 2x8");
    }
}

TEST(describe, all_of_forward) {
    problem p = make_problem(jitnorm_forward_inference, {2, 3, 8});
    p.flags = jitnorm_use_global_stats | jitnorm_use_scale | jitnorm_use_shift | jitnorm_rms_norm;
    p.epsilon = 0.0625f;
    p[SRC] = make_layout("bac", {2, 3, 8}, jitnorm_bf16);
    p[DST] = make_layout("aBc8b", {2, 3, 8}, jitnorm_s8);
    p[VARIANCE] = make_layout("ba", {2, 3}, jitnorm_f32);
    p.scale_shift_type = jitnorm_f16;
    p.attr.scratchpad_mode = jitnorm_scratchpad_mode_user;
    p.attr.src_scale = p.attr.dst_scale = true;
    p.attr.post_ops.entries = {sum_post_op{0.5f, 3, jitnorm_u8}, sum_post_op{},
                               eltwise_post_op{jitnorm_eltwise_gelu_tanh, 0, 0},
                               eltwise_post_op{jitnorm_eltwise_clip_v2, -1e20f, 6.5f},
                               binary_post_op{jitnorm_binary_mul, dense({1, 3, 8}, jitnorm_u8)}};
    EXPECT_EQ(describe(p),
              "--dir=FWD_I --dt=bf16:s8 --tag=bac:aBc8b --stat_tag=ba --ss_dt=f16 --flags=GCHM --eps=0.0625 "
              "--attr-scratchpad=user --attr-scales=src:common:1+dst:common:1 "
              "--attr-post-ops=sum:0.5:3:u8+sum:1:0+gelu_tanh:0:0+clip_v2:-1e20:6.5+mul:u8:6:abc 2x3x8");
}

TEST(describe, backward) {
    problem p = make_problem(jitnorm_backward, {16, 64});
    EXPECT_EQ(describe(p), "--dir=BWD_DW --dt=f32:f32 --tag=ab:ab --stat_tag=a --eps=1e-05 16x64");
    p.prop_kind = jitnorm_backward_data;
    p[DIFF_SRC] = make_layout("65,1", {16, 64}, jitnorm_f32);
    EXPECT_EQ(describe(p), "--dir=BWD_D --dt=f32:f32 --tag=ab:ab:65x1 --stat_tag=a --eps=1e-05 16x64");
}

TEST(describe, gradient_type_of_scale_and_shift_where_it_differs) {
    problem p = make_problem(jitnorm_backward, {16, 64});
    p.flags = jitnorm_use_scale;
    p.scale_shift_type = jitnorm_bf16;
    EXPECT_NE(describe(p).find(" --ss_dt=bf16:f32 "), std::string::npos);
    p.diff_scale_shift_type = jitnorm_bf16;
    EXPECT_NE(describe(p).find(" --ss_dt=bf16 "), std::string::npos);
}

TEST(describe, only_one_scale) {
    problem p = forward_problem();
    p.attr.dst_scale = true;
    EXPECT_NE(describe(p).find(" --attr-scales=dst:common:1 "), std::string::npos);
    p.attr = {};
    p.attr.src_scale = true;
    EXPECT_NE(describe(p).find(" --attr-scales=src:common:1 "), std::string::npos);
}

TEST(describe, residual) {
    problem p = make_problem(jitnorm_forward_training, {4, 8});
    p[RESIDUAL] = dense({4, 8}, jitnorm_bf16);
    EXPECT_NE(describe(p).find(" --attr-residual=src1:bf16:ab "), std::string::npos);
    p[SUM] = make_layout("ba", {4, 8}, jitnorm_f32);
    p.attr.bias_type = jitnorm_f16;
    p.attr.normalizes_rounded_sum = p.attr.multiplies_silu = true;
    EXPECT_NE(describe(p).find(" --attr-residual=src1:bf16:ab+dst1:f32:ba+bias:f16+rounded+silu "), std::string::npos);
    problem backward = make_problem(jitnorm_backward, {4, 8});
    backward[DIFF_SUM] = p[SUM];
    EXPECT_NE(describe(backward).find(" --attr-residual=dst1:f32:ba "), std::string::npos);
}

TEST(describe, groups_of_rows) {
    problem p = make_problem(jitnorm_forward_training, {2, 3, 8});
    p.flags = jitnorm_use_scale;
    p[SCALE] = dense({2, 1, 8});
    p[RESIDUAL] = dense({2, 3, 8});
    p[GATE] = dense({1, 3, 8}, jitnorm_bf16);
    EXPECT_NE(describe(p).find(" --attr-modulation=scale:1+gate:2:bf16 "), std::string::npos) << describe(p);
}

TEST(describe, a_part_of_a_larger_problem) {
    problem rows = make_problem(jitnorm_backward, {4, 8});
    rows.first_row = 64;
    rows.all_rows = 100;
    EXPECT_NE(describe(rows).find(" --rows-from=64/100 "), std::string::npos);
    problem columns = make_problem(jitnorm_forward_training, {4, 8});
    columns.all_columns = 32;
    columns.omitted = bit_of(DST) | bit_of(MEAN);
    EXPECT_EQ(describe(columns),
              "--dir=FWD_D --dt=f32 --tag=ab:undef --stat_tag=a --left-out=mean --columns-of=32 --eps=1e-05 4x8");
}

TEST(describe, pre_quantization_output) {
    problem p = make_problem(jitnorm_forward_training, {4, 8});
    p[PRE_QUANTIZATION] = make_layout("ba", {4, 8}, jitnorm_f32);
    EXPECT_NE(describe(p).find(" --attr-pre-quantization=dst2:f32:ba "), std::string::npos);
}

TEST(names, layouts) {
    const auto name = [](const char *layout, const std::vector<dim_t> &dims) {
        return layout_name(make_layout(layout, dims, jitnorm_f32));
    };
    EXPECT_EQ(name("1,3", {3, 5}), "ba");
    EXPECT_EQ(name("6,1", {3, 5}), "6x1");
    EXPECT_EQ(name("15,5,30,1", {2, 3, 4, 5}), "cabd") << "dense, but no tag has this order";
    EXPECT_EQ(name("BA16a32b", {20, 40}), "BA16a32b");
    memory_desc open = dense({20, 40});
    open.format_kind = jitnorm_format_kind_any;
    EXPECT_EQ(layout_name(open), "any");
    EXPECT_EQ(layout_name({}), "undef");
    EXPECT_EQ(layout_name(dense({2, 2, 2, 2, 2, 2})), "abcdef");
}

TEST(names, runtime_dimensions_are_stars) {
    const dim_t dims[] = {RUNTIME_DIM, 768};
    EXPECT_EQ(join(dims, 2), "*x768");
}

TEST(names, unknown_values_are_undef) {
    EXPECT_EQ(name_of(undefined<jitnorm_data_type_t>(77)), "undef");
    EXPECT_EQ(name_of(undefined<jitnorm_prop_kind_t>(1)), "undef");
    EXPECT_EQ(name_of(jitnorm_alg_kind_undef), "undef");
}

TEST(names, values_of_the_tables_have_those_of_the_tables) {
#define ELTWISE(name, number) EXPECT_EQ(name_of(undefined<jitnorm_alg_kind_t>(number)), #name);
#include "../../tables/eltwise.inc"
#define BINARY(name, number) EXPECT_EQ(name_of(undefined<jitnorm_alg_kind_t>(number)), #name);
#include "../../tables/binary.inc"
#define DATA_TYPE(name, number, ...) EXPECT_EQ(name_of(undefined<jitnorm_data_type_t>(number)), #name);
#include "../../tables/data_types.inc"
}

} // namespace
