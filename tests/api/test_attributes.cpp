// SPDX-License-Identifier: Apache-2.0
// Attributes and post-ops: getters return what was set, layer normalization obeys it, and each misuse is refused.
#include <gtest/gtest.h>

#include "support/execution.hpp"
#include "support/undefined.hpp"

using namespace jitnorm::tests;

namespace {

// All modes, the last ones the roundings of dst and of diff_src.
std::vector<int> modes_of(const owned_attr &attr) {
    int applies = -1;
    auto fpmath = jitnorm_fpmath_mode_any;
    auto of_dst = jitnorm_rounding_mode_stochastic, of_diff_src = of_dst;
    EXPECT_OK(jitnorm_primitive_attr_get_fpmath_mode_v2(attr, &fpmath, &applies));
    EXPECT_OK(jitnorm_primitive_attr_get_rounding(attr, JITNORM_ARG_DST, &of_dst));
    EXPECT_OK(jitnorm_primitive_attr_get_rounding(attr, JITNORM_ARG_DIFF_SRC, &of_diff_src));
    return {queried(jitnorm_primitive_attr_get_deterministic, attr),     fpmath, applies,
            queried(jitnorm_primitive_attr_get_accumulation_mode, attr), of_dst, of_diff_src};
}

TEST(attributes, modes_come_out_as_they_went_in) {
    const owned_attr attr = make_attr();
    EXPECT_EQ(modes_of(attr), (std::vector<int>{0, jitnorm_fpmath_mode_strict, 0, jitnorm_accumulation_mode_strict,
                                                jitnorm_rounding_mode_environment, jitnorm_rounding_mode_environment}));
    EXPECT_OK(jitnorm_primitive_attr_set_deterministic(attr, 7));
    EXPECT_OK(jitnorm_primitive_attr_set_fpmath_mode_v2(attr, jitnorm_fpmath_mode_bf16, 1));
    EXPECT_OK(jitnorm_primitive_attr_set_accumulation_mode(attr, jitnorm_accumulation_mode_any));
    EXPECT_OK(jitnorm_primitive_attr_set_rounding(attr, JITNORM_ARG_DIFF_SRC, jitnorm_rounding_mode_stochastic));
    owned_attr copy;
    ASSERT_OK(jitnorm_primitive_attr_clone(&copy, attr));
    EXPECT_EQ(modes_of(copy), (std::vector<int>{1, jitnorm_fpmath_mode_bf16, 1, jitnorm_accumulation_mode_any,
                                                jitnorm_rounding_mode_environment, jitnorm_rounding_mode_stochastic}));
    EXPECT_EQ(queried(jitnorm_primitive_attr_get_fpmath_mode, copy), jitnorm_fpmath_mode_bf16);
}

TEST(attributes, modes_must_be_known) {
    const owned_attr attr = make_attr();
    EXPECT_EQ(jitnorm_primitive_attr_set_scratchpad_mode(attr, undefined<jitnorm_scratchpad_mode_t>(2)), INVALID);
    EXPECT_EQ(jitnorm_primitive_attr_set_fpmath_mode(attr, undefined<jitnorm_fpmath_mode_t>(5)), INVALID);
    EXPECT_EQ(jitnorm_primitive_attr_set_accumulation_mode(attr, undefined<jitnorm_accumulation_mode_t>(6)), INVALID);
    EXPECT_EQ(jitnorm_primitive_attr_set_rounding(attr, JITNORM_ARG_DST, undefined<jitnorm_rounding_mode_t>(2)),
              INVALID);
    EXPECT_EQ(jitnorm_primitive_attr_set_rounding(attr, JITNORM_ARG_SRC, jitnorm_rounding_mode_stochastic), INVALID);
    EXPECT_OK(jitnorm_primitive_attr_set_rounding(attr, JITNORM_ARG_SRC, jitnorm_rounding_mode_environment));
    EXPECT_EQ(jitnorm_set_default_fpmath_mode(undefined<jitnorm_fpmath_mode_t>(-1)), INVALID);
}

TEST(attributes, default_mode_is_that_of_new_ones) {
    const owned_attr before = make_attr();
    ASSERT_OK(jitnorm_set_default_fpmath_mode(jitnorm_fpmath_mode_f16));
    const owned_attr after = make_attr();
    ASSERT_OK(jitnorm_set_default_fpmath_mode(jitnorm_fpmath_mode_strict));
    EXPECT_EQ(queried(jitnorm_primitive_attr_get_fpmath_mode, before), jitnorm_fpmath_mode_strict);
    EXPECT_EQ(queried(jitnorm_primitive_attr_get_fpmath_mode, after), jitnorm_fpmath_mode_f16);
}

// ---------------------------------------------------------------- what layer normalization makes of them

jitnorm_status_t create_with(const owned_attr &attr) {
    const owned_md data = make_md({3, 8}, jitnorm_f32);
    return status_of(forward_request{.prop_kind = jitnorm_forward_inference, .src = data, .dst = data, .attr = attr});
}

TEST(attributes, are_taken_that_change_nothing) {
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_deterministic(attr, 1));
    for (int mode = jitnorm_fpmath_mode_strict; mode <= jitnorm_fpmath_mode_tf32; ++mode) {
        EXPECT_OK(jitnorm_primitive_attr_set_fpmath_mode(attr, jitnorm_fpmath_mode_t(mode)));
        EXPECT_OK(create_with(attr)) << mode;
    }
    EXPECT_OK(jitnorm_primitive_attr_set_fpmath_mode_v2(attr, jitnorm_fpmath_mode_strict, 1));
    for (int mode = jitnorm_accumulation_mode_strict; mode <= jitnorm_accumulation_mode_any; ++mode) {
        EXPECT_OK(jitnorm_primitive_attr_set_accumulation_mode(attr, jitnorm_accumulation_mode_t(mode)));
        EXPECT_OK(create_with(attr)) << mode;
    }
}

// The library would have to find the scales and write them; as scales that are given they would be read.
TEST(attributes, dynamic_modes_of_onednn_are_refused) {
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST})
        for (const auto mode : {jitnorm_quantization_mode_dynamic_mx, jitnorm_quantization_mode_dynamic_fp}) {
            const owned_attr attr = make_attr();
            EXPECT_OK(jitnorm_primitive_attr_set_scales_v3(attr, arg, 0, 0, nullptr, jitnorm_f32, 0, mode));
            EXPECT_EQ(create_with(attr), jitnorm_unimplemented) << mode;
            EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, arg, 0));
            EXPECT_OK(create_with(attr)) << mode;
        }
}

// test_onednn_names.cpp has those that are refused then.
TEST(attributes, what_is_said_last_counts) {
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 2));
    EXPECT_EQ(create_with(attr), jitnorm_unimplemented);
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 0));
    EXPECT_OK(create_with(attr));
    EXPECT_OK(jitnorm_primitive_attr_set_rounding(attr, JITNORM_ARG_DST, jitnorm_rounding_mode_stochastic));
    EXPECT_OK(jitnorm_primitive_attr_set_rounding(attr, JITNORM_ARG_DST, jitnorm_rounding_mode_environment));
    EXPECT_OK(create_with(attr));
}

TEST(post_ops, clones_and_those_of_attributes_are_copies) {
    owned_post_ops post_ops = make_post_ops(), clone;
    const owned_attr attr = make_attr();
    owned_attr clone_of_attr;
    EXPECT_OK(jitnorm_post_ops_append_sum(post_ops, 1.f, 0, jitnorm_data_type_undef));
    ASSERT_OK(jitnorm_post_ops_clone(&clone, post_ops));
    EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops));
    EXPECT_OK(jitnorm_primitive_attr_clone(&clone_of_attr, attr));
    EXPECT_OK(jitnorm_post_ops_append_sum(post_ops, 1.f, 0, jitnorm_data_type_undef));
    post_ops.reset();
    EXPECT_EQ(jitnorm_post_ops_len(clone), 1);
    for (const jitnorm_primitive_attr_t each : {attr.get(), clone_of_attr.get()})
        EXPECT_EQ(jitnorm_post_ops_len(queried(jitnorm_primitive_attr_get_post_ops, each)), 1);
}

TEST(post_ops, thirty_two_and_no_more) {
    const owned_post_ops post_ops = make_post_ops();
    for (int i = 0; i < 32; ++i) EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_abs, 0.f, 0.f));
    EXPECT_EQ(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_abs, 0.f, 0.f), jitnorm_out_of_memory);
    EXPECT_EQ(jitnorm_post_ops_len(post_ops), 32);
}

TEST(post_ops, misuse) {
    const owned_post_ops post_ops = make_post_ops();
    const owned_md src1 = make_md({1, 8}, jitnorm_f32, jitnorm_ab);
    EXPECT_EQ(jitnorm_post_ops_append_sum(post_ops, 1.f, 0, undefined<jitnorm_data_type_t>(99)), INVALID);
    EXPECT_EQ(jitnorm_post_ops_append_prelu(post_ops, -1), INVALID);
    for (const int alg : {0, 0x1f, 0x100, int(jitnorm_binary_add)})
        EXPECT_EQ(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_alg_kind_t(alg), 0.f, 0.f), INVALID) << alg;
    EXPECT_EQ(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, make_md({}, jitnorm_f32)), INVALID);
    for (const int alg : {0, 0x1ffef, 0x1fffc, int(jitnorm_eltwise_abs)})
        EXPECT_EQ(jitnorm_post_ops_append_binary(post_ops, jitnorm_alg_kind_t(alg), src1), INVALID) << alg;
    EXPECT_EQ(jitnorm_post_ops_len(post_ops), 0);
}

// oneDNN's benchdnn calls these for every binary post-op; test_onednn_names.cpp does so, too.
TEST(post_ops, have_no_second_source) {
    const owned_post_ops post_ops = make_post_ops();
    const owned_md src1 = make_md({1, 8}, jitnorm_f32);
    EXPECT_OK(jitnorm_post_ops_append_binary_v2(post_ops, jitnorm_binary_mul, src1, nullptr));
    EXPECT_EQ(jitnorm_post_ops_append_binary_v2(post_ops, jitnorm_binary_add, src1, src1), INVALID);
    EXPECT_EQ(jitnorm_post_ops_append_binary_v2(post_ops, jitnorm_eltwise_abs, src1, nullptr), INVALID);
    EXPECT_EQ(jitnorm_post_ops_append_binary_v2(post_ops, jitnorm_binary_add, nullptr, nullptr), INVALID);
    EXPECT_EQ(jitnorm_post_ops_len(post_ops), 1);
}

// test_cpp_header.cpp and test_onednn_names.cpp ask for what is there.
TEST(post_ops, parameters_of_what_is_not_there_or_not_wanted) {
    const owned_post_ops post_ops = make_post_ops();
    const owned_md src1 = make_md({1, 8}, jitnorm_f32);
    EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_abs, 0.f, 0.f));
    EXPECT_OK(jitnorm_post_ops_append_sum(post_ops, 2.f, 3, jitnorm_s8));
    EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_mul, src1));
    float value = 7;
    int mask = 7;
    const_jitnorm_memory_desc_t second = src1;
    EXPECT_EQ(jitnorm_post_ops_get_params_sum(post_ops, 0, &value, nullptr, nullptr), INVALID);
    EXPECT_EQ(jitnorm_post_ops_get_params_binary(post_ops, 0, nullptr, nullptr), INVALID);
    EXPECT_EQ(jitnorm_post_ops_get_params_prelu(post_ops, 0, &mask), INVALID);
    for (const int index : {-1, 3}) {
        EXPECT_EQ(jitnorm_post_ops_get_params_eltwise(post_ops, index, nullptr, &value, nullptr), INVALID);
        EXPECT_EQ(jitnorm_post_ops_get_params_binary_v2(post_ops, index, nullptr, nullptr, &second), INVALID);
        EXPECT_EQ(jitnorm_post_ops_get_kind(post_ops, index), jitnorm_undefined_primitive);
    }
    EXPECT_TRUE(value == 7 && mask == 7 && second == src1.get()) << "an error writes nothing";
    EXPECT_OK(jitnorm_post_ops_get_params_eltwise(post_ops, 0, nullptr, nullptr, nullptr));
    EXPECT_OK(jitnorm_post_ops_get_params_sum(post_ops, 1, nullptr, nullptr, nullptr));
    EXPECT_OK(jitnorm_post_ops_get_params_binary(post_ops, 2, nullptr, nullptr));
    EXPECT_OK(jitnorm_post_ops_get_params_binary_v2(post_ops, 2, nullptr, nullptr, nullptr));
}

} // namespace
