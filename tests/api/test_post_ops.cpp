// SPDX-License-Identifier: Apache-2.0
// Post-ops: getters return what was appended, and each misuse is refused.
#include <gtest/gtest.h>

#include "support/execution.hpp"
#include "support/undefined.hpp"

using namespace jitnorm::tests;

namespace {

TEST(post_ops, come_out_as_they_went_in) {
    const owned_post_ops post_ops = make_post_ops();
    const owned_md src1 = make_md({1, 8}, jitnorm_bf16, jitnorm_ab);
    EXPECT_OK(jitnorm_post_ops_append_sum(post_ops, 2.f, 3, jitnorm_s8));
    EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_clip, -1.f, 4.f));
    EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_mul, src1));
    EXPECT_OK(jitnorm_post_ops_append_prelu(post_ops, 6));
    EXPECT_EQ(jitnorm_post_ops_len(post_ops), 4);
    EXPECT_EQ(jitnorm_post_ops_get_kind(post_ops, 3), jitnorm_prelu);
    int mask = 0;
    EXPECT_OK(jitnorm_post_ops_get_params_prelu(post_ops, 3, &mask));
    EXPECT_EQ(mask, 6);
    EXPECT_EQ(jitnorm_post_ops_get_params_prelu(post_ops, 2, &mask), INVALID);
    EXPECT_EQ(jitnorm_post_ops_append_prelu(post_ops, -1), INVALID);
    EXPECT_EQ(jitnorm_post_ops_get_kind(post_ops, 0), jitnorm_sum);
    EXPECT_EQ(jitnorm_post_ops_get_kind(post_ops, 1), jitnorm_eltwise);
    EXPECT_EQ(jitnorm_post_ops_get_kind(post_ops, 2), jitnorm_binary);

    float scale = 0, alpha = 0, beta = 0;
    int32_t zero_point = 0;
    jitnorm_data_type_t type = jitnorm_data_type_undef;
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef;
    const_jitnorm_memory_desc_t described = nullptr;
    EXPECT_OK(jitnorm_post_ops_get_params_sum(post_ops, 0, &scale, &zero_point, &type));
    EXPECT_EQ(scale, 2.f);
    EXPECT_EQ(zero_point, 3);
    EXPECT_EQ(type, jitnorm_s8);
    EXPECT_OK(jitnorm_post_ops_get_params_eltwise(post_ops, 1, &alg, &alpha, &beta));
    EXPECT_EQ(alg, jitnorm_eltwise_clip);
    EXPECT_EQ(alpha, -1.f);
    EXPECT_EQ(beta, 4.f);
    EXPECT_OK(jitnorm_post_ops_get_params_binary(post_ops, 2, &alg, &described));
    EXPECT_EQ(alg, jitnorm_binary_mul);
    EXPECT_TRUE(jitnorm_memory_desc_equal(described, src1));

    // null for results that are not wanted
    EXPECT_OK(jitnorm_post_ops_get_params_sum(post_ops, 0, nullptr, nullptr, nullptr));
    EXPECT_OK(jitnorm_post_ops_get_params_eltwise(post_ops, 1, nullptr, nullptr, nullptr));
    EXPECT_OK(jitnorm_post_ops_get_params_binary(post_ops, 2, nullptr, nullptr));
}

TEST(post_ops, clone_is_separate) {
    const owned_post_ops post_ops = make_post_ops();
    EXPECT_OK(jitnorm_post_ops_append_sum(post_ops, 1.f, 0, jitnorm_data_type_undef));
    owned_post_ops copy;
    ASSERT_OK(jitnorm_post_ops_clone(&copy, post_ops));
    EXPECT_OK(jitnorm_post_ops_append_sum(post_ops, 1.f, 0, jitnorm_data_type_undef));
    EXPECT_EQ(jitnorm_post_ops_len(copy), 1);
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
    owned_post_ops copy;
    EXPECT_EQ(jitnorm_post_ops_append_sum(post_ops, 1.f, 0, undefined<jitnorm_data_type_t>(99)), INVALID);
    for (const int alg : {0, 0x1f, 0x100, int(jitnorm_binary_add)})
        EXPECT_EQ(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_alg_kind_t(alg), 0.f, 0.f), INVALID) << alg;
    EXPECT_EQ(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, make_md({}, jitnorm_f32)), INVALID);
    for (const int alg : {0, 0x1ffef, 0x1fffc, int(jitnorm_eltwise_abs)})
        EXPECT_EQ(jitnorm_post_ops_append_binary(post_ops, jitnorm_alg_kind_t(alg), src1), INVALID) << alg;
    EXPECT_EQ(jitnorm_post_ops_len(post_ops), 0);
}

// oneDNN's benchdnn calls these for every binary post-op.
TEST(post_ops, have_no_second_source) {
    const owned_post_ops post_ops = make_post_ops();
    const owned_md src1 = make_md({1, 8}, jitnorm_f32), empty = make_md({}, jitnorm_f32);
    EXPECT_OK(jitnorm_post_ops_append_binary_v2(post_ops, jitnorm_binary_mul, src1, nullptr));
    EXPECT_OK(jitnorm_post_ops_append_binary_v2(post_ops, jitnorm_binary_add, src1, empty));
    EXPECT_EQ(jitnorm_post_ops_append_binary_v2(post_ops, jitnorm_binary_add, src1, src1), INVALID);
    EXPECT_EQ(jitnorm_post_ops_append_binary_v2(post_ops, jitnorm_eltwise_abs, src1, nullptr), INVALID);
    EXPECT_EQ(jitnorm_post_ops_append_binary_v2(post_ops, jitnorm_binary_add, nullptr, nullptr), INVALID);
    ASSERT_EQ(jitnorm_post_ops_len(post_ops), 2);
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef;
    const_jitnorm_memory_desc_t first = nullptr, second = src1;
    EXPECT_OK(jitnorm_post_ops_get_params_binary_v2(post_ops, 0, &alg, &first, &second));
    EXPECT_EQ(alg, jitnorm_binary_mul);
    EXPECT_TRUE(jitnorm_memory_desc_equal(first, src1));
    EXPECT_TRUE(jitnorm_memory_desc_equal(second, empty));
    second = src1;
    EXPECT_EQ(jitnorm_post_ops_get_params_binary_v2(post_ops, 2, &alg, &first, &second), INVALID);
    EXPECT_EQ(second, src1);
    EXPECT_OK(jitnorm_post_ops_get_params_binary_v2(post_ops, 1, nullptr, nullptr, nullptr));
}

TEST(post_ops, parameters_of_what_is_not_there) {
    const owned_post_ops post_ops = make_post_ops();
    EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_abs, 0.f, 0.f));
    float value = 7;
    EXPECT_EQ(jitnorm_post_ops_get_params_sum(post_ops, 0, &value, nullptr, nullptr), INVALID);
    EXPECT_EQ(jitnorm_post_ops_get_params_binary(post_ops, 0, nullptr, nullptr), INVALID);
    for (const int index : {-1, 1}) {
        EXPECT_EQ(jitnorm_post_ops_get_params_eltwise(post_ops, index, nullptr, &value, nullptr), INVALID);
        EXPECT_EQ(jitnorm_post_ops_get_kind(post_ops, index), jitnorm_undefined_primitive);
    }
    EXPECT_EQ(value, 7.f);
}

} // namespace
