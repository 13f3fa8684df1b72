// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors: their queries.
#include <cstring>
#include <string>

#include "support/execution.hpp"
#include "support/undefined.hpp"

using namespace jitnorm::tests;

namespace {

constexpr unsigned SCALE_SHIFT = jitnorm_use_scale | jitnorm_use_shift;

template <typename Answer>
Answer answer_of(const_jitnorm_primitive_desc_t pd, jitnorm_query_t what) {
    Answer answer{};
    EXPECT_OK(jitnorm_primitive_desc_query(pd, what, 0, &answer));
    return answer;
}

// Dimensions of the descriptor; empty where there is no such tensor.
dims shape_of(const_jitnorm_primitive_desc_t pd, jitnorm_query_t what, int index) {
    const auto *md = jitnorm_primitive_desc_query_md(pd, what, index);
    EXPECT_NE(md, nullptr);
    return md == nullptr ? dims{} : dims_of(md, jitnorm_query_dims);
}

const dims NONE, DATA = {2, 3, 8}, STATISTICS = {2, 3}, WEIGHTS = {8};

// ---------------------------------------------------------------- plain queries

TEST(primitive_desc, answers_what_it_was_made_from) {
    const owned_md data = make_md(DATA, jitnorm_f32);
    forward_request request{jitnorm_forward_inference, data, data};
    request.epsilon = 0.25f;
    request.flags = jitnorm_use_scale | jitnorm_rms_norm;
    const owned_pd pd = request.make();
    EXPECT_EQ(answer_of<jitnorm_engine_t>(pd, jitnorm_query_engine), cpu());
    EXPECT_EQ(answer_of<jitnorm_engine_t>(pd, jitnorm_query_scratchpad_engine), cpu());
    EXPECT_EQ(answer_of<jitnorm_primitive_kind_t>(pd, jitnorm_query_primitive_kind), jitnorm_layer_normalization);
    EXPECT_EQ(answer_of<jitnorm_prop_kind_t>(pd, jitnorm_query_prop_kind), jitnorm_forward_inference);
    EXPECT_EQ(answer_of<float>(pd, jitnorm_query_epsilon_f32), 0.25f);
    EXPECT_EQ(answer_of<unsigned>(pd, jitnorm_query_flags), request.flags);
    EXPECT_EQ(answer_of<double>(pd, jitnorm_query_time_estimate_f64), 0.0);
    EXPECT_GE(answer_of<int64_t>(pd, jitnorm_query_memory_consumption_s64), 0);
    const std::string name = answer_of<const char *>(pd, jitnorm_query_impl_info_str);
    EXPECT_TRUE(name.starts_with("jit:") || name.starts_with("ref:")) << name;
}

TEST(primitive_desc, query_misuse) {
    const owned_pd pd = forward_pd(jitnorm_forward_training, DATA);
    int result = -1;
    for (const auto what :
         {jitnorm_query_undef, jitnorm_query_some_md, jitnorm_query_ndims_s32, undefined<jitnorm_query_t>(999)})
        EXPECT_EQ(jitnorm_primitive_desc_query(pd, what, 0, &result), jitnorm_unimplemented) << what;
    EXPECT_EQ(result, -1);
    EXPECT_EQ(jitnorm_primitive_desc_query_md(pd, jitnorm_query_prop_kind, 0), nullptr);
    EXPECT_EQ(jitnorm_primitive_desc_query_md(pd, jitnorm_query_some_md, 0), nullptr);
    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_flags, 0), 0);
}

TEST(primitive_desc, clone_answers_the_same) {
    owned_pd copy;
    ASSERT_OK(jitnorm_primitive_desc_clone(&copy, forward_pd(jitnorm_forward_training, DATA, SCALE_SHIFT)));
    EXPECT_EQ(shape_of(copy, jitnorm_query_src_md, 0), DATA);
    EXPECT_EQ(shape_of(copy, jitnorm_query_dst_md, 2), STATISTICS);
    EXPECT_EQ(answer_of<unsigned>(copy, jitnorm_query_flags), SCALE_SHIFT);
}

TEST(primitive_desc, keeps_a_copy_of_the_attributes) {
    const owned_pd pd = forward_pd(jitnorm_forward_inference, DATA, 0, with_user_scratchpad());
    const auto *kept = queried(jitnorm_primitive_desc_get_attr, pd);
    EXPECT_EQ(queried(jitnorm_primitive_attr_get_scratchpad_mode, kept), jitnorm_scratchpad_mode_user);
    EXPECT_EQ(answer_of<int64_t>(pd, jitnorm_query_memory_consumption_s64), 0); // none of the library's own
}

TEST(primitive_desc, next_impl_ends_at_the_reference) {
    const owned_pd pd = forward_pd(jitnorm_forward_inference, DATA);
    jitnorm_status_t status = jitnorm_success;
    for (int steps = 0; status == jitnorm_success && steps < 10; ++steps) status = jitnorm_primitive_desc_next_impl(pd);
    EXPECT_EQ(status, jitnorm_last_impl_reached);
    EXPECT_STREQ(answer_of<const char *>(pd, jitnorm_query_impl_info_str), "ref:any");
    EXPECT_EQ(jitnorm_primitive_desc_next_impl(pd), jitnorm_last_impl_reached);
    EXPECT_STREQ(answer_of<const char *>(pd, jitnorm_query_impl_info_str), "ref:any");
}

// ---------------------------------------------------------------- the table of tensors

struct expected_tensors {
    const char *name;
    bool forward;
    jitnorm_prop_kind_t kind;
    unsigned flags;
    int inputs, outputs;
    bool mean, variance, statistics_are_inputs, scale, shift, diff_scale, diff_shift;
};

class tensors : public testing::TestWithParam<expected_tensors> {};

TEST_P(tensors, are_what_the_table_says) {
    const expected_tensors &e = GetParam();
    const owned_pd pd = e.forward ? forward_pd(e.kind, DATA, e.flags) : backward_pd(e.kind, DATA, e.flags);
    const auto side = e.statistics_are_inputs ? jitnorm_query_src_md : jitnorm_query_dst_md;
    const auto other = e.statistics_are_inputs ? jitnorm_query_dst_md : jitnorm_query_src_md;
    const auto if_any = [](bool any, const dims &sizes) { return any ? sizes : NONE; };
    const auto by_arg = [&](int arg) { return shape_of(pd, jitnorm_query_exec_arg_md, arg); };

    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_inputs_s32, 0), e.inputs);
    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_outputs_s32, 0), e.outputs);
    EXPECT_EQ(shape_of(pd, jitnorm_query_src_md, 0), DATA);
    EXPECT_EQ(shape_of(pd, jitnorm_query_dst_md, 0), if_any(e.forward, DATA));
    EXPECT_EQ(shape_of(pd, jitnorm_query_diff_src_md, 0), if_any(!e.forward, DATA));
    EXPECT_EQ(shape_of(pd, jitnorm_query_diff_dst_md, 0), if_any(!e.forward, DATA));
    EXPECT_EQ(shape_of(pd, side, 1), if_any(e.mean, STATISTICS));
    EXPECT_EQ(shape_of(pd, side, 2), if_any(e.variance, STATISTICS));
    EXPECT_EQ(shape_of(pd, other, 1), NONE);
    EXPECT_EQ(shape_of(pd, other, 2), NONE);
    for (const int index : {0, 1}) { // one vector describes both, as in oneDNN
        EXPECT_EQ(shape_of(pd, jitnorm_query_weights_md, index), if_any(e.scale || e.shift, WEIGHTS));
        EXPECT_EQ(shape_of(pd, jitnorm_query_diff_weights_md, index), if_any(e.diff_scale || e.diff_shift, WEIGHTS));
    }
    EXPECT_EQ(shape_of(pd, jitnorm_query_weights_md, 2), NONE);
    EXPECT_EQ(shape_of(pd, jitnorm_query_workspace_md, 0), NONE);
    EXPECT_EQ(shape_of(pd, jitnorm_query_scratchpad_md, 0), NONE); // the library's own is not shown
    EXPECT_EQ(shape_of(pd, jitnorm_query_src_md, 3), NONE);
    EXPECT_EQ(shape_of(pd, jitnorm_query_src_md, -1), NONE);

    EXPECT_EQ(by_arg(JITNORM_ARG_SRC), DATA);
    EXPECT_EQ(by_arg(JITNORM_ARG_DST), if_any(e.forward, DATA));
    EXPECT_EQ(by_arg(JITNORM_ARG_MEAN), if_any(e.mean, STATISTICS));
    EXPECT_EQ(by_arg(JITNORM_ARG_VARIANCE), if_any(e.variance, STATISTICS));
    EXPECT_EQ(by_arg(JITNORM_ARG_SCALE), if_any(e.scale, WEIGHTS));
    EXPECT_EQ(by_arg(JITNORM_ARG_SHIFT), if_any(e.shift, WEIGHTS));
    EXPECT_EQ(by_arg(JITNORM_ARG_DIFF_SRC), if_any(!e.forward, DATA));
    EXPECT_EQ(by_arg(JITNORM_ARG_DIFF_DST), if_any(!e.forward, DATA));
    EXPECT_EQ(by_arg(JITNORM_ARG_DIFF_SCALE), if_any(e.diff_scale, WEIGHTS));
    EXPECT_EQ(by_arg(JITNORM_ARG_DIFF_SHIFT), if_any(e.diff_shift, WEIGHTS));
    for (const int arg : {0, JITNORM_ARG_WORKSPACE, JITNORM_ARG_SCRATCHPAD, -1, 1 << 30})
        EXPECT_EQ(by_arg(arg), NONE) << arg;
}

constexpr unsigned GLOBAL = jitnorm_use_global_stats, RMS = jitnorm_rms_norm;
constexpr auto INFERENCE = jitnorm_forward_inference;
constexpr auto TRAINING = jitnorm_forward_training;

// clang-format off
INSTANTIATE_TEST_SUITE_P(
    all, tensors,
    testing::Values(
        // Of rms_norm the mean has a descriptor and is not looked at.
        //                                                                       in out  mean   var    input  scale  shift  dscale dshift
        expected_tensors{"inference",                 true,  INFERENCE, 0,           1, 1, false, false, false, false, false, false, false},
        expected_tensors{"inference_scale_shift",     true,  INFERENCE, SCALE_SHIFT, 3, 1, false, false, false, true,  true,  false, false},
        expected_tensors{"inference_global",          true,  INFERENCE, GLOBAL,      3, 1, true,  true,  true,  false, false, false, false},
        expected_tensors{"inference_global_rms",      true,  INFERENCE, GLOBAL|RMS,  2, 1, true,  true,  true,  false, false, false, false},
        expected_tensors{"training",                  true,  TRAINING,  0,           1, 3, true,  true,  false, false, false, false, false},
        expected_tensors{"training_shift",            true,  TRAINING,  jitnorm_use_shift, 2, 3, true, true, false, false, true, false, false},
        expected_tensors{"training_rms",              true,  TRAINING,  RMS,         1, 2, true,  true,  false, false, false, false, false},
        expected_tensors{"training_global",           true,  TRAINING,  GLOBAL,      3, 1, true,  true,  true,  false, false, false, false},
        expected_tensors{"backward",                  false, jitnorm_backward, 0,    4, 1, true,  true,  true,  false, false, false, false},
        expected_tensors{"backward_scale",            false, jitnorm_backward, jitnorm_use_scale, 5, 2, true, true, true, true, false, true, false},
        expected_tensors{"backward_scale_shift",      false, jitnorm_backward, SCALE_SHIFT, 5, 3, true, true, true, true, true, true, true},
        expected_tensors{"backward_global_rms",       false, jitnorm_backward, GLOBAL|RMS,  3, 1, true,  true, true, false, false, false, false},
        expected_tensors{"backward_data_scale_shift", false, jitnorm_backward_data, SCALE_SHIFT, 5, 1, true, true, true, true, true, false, false}),
    [](const auto &tested) { return tested.param.name; });
// clang-format on

TEST(tensors, attributes_bring_their_own) {
    const owned_md data = make_md({2, 8}, jitnorm_s8), src1 = make_md({1, 8}, jitnorm_f32);
    const owned_attr attr = make_attr();
    append(attr, [&](jitnorm_post_ops_t post_ops) {
        EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_relu, 0.f, 0.f));
        return jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, src1);
    });
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 0));
    const owned_pd pd = forward_request{INFERENCE, data, data}.make(0, attr);
    const auto by_arg = [&](int arg) { return shape_of(pd, jitnorm_query_exec_arg_md, arg); };
    EXPECT_EQ(by_arg(JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC), dims{1});
    EXPECT_EQ(by_arg(JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST), NONE);
    EXPECT_EQ(by_arg(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0) | JITNORM_ARG_SRC_1), NONE);
    EXPECT_EQ(by_arg(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(1) | JITNORM_ARG_SRC_1), (dims{1, 8}));
    EXPECT_EQ(by_arg(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(1)), NONE);
    EXPECT_EQ(by_arg(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(32) | JITNORM_ARG_SRC_1), NONE);
    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_inputs_s32, 0), 2); // scales do not count
}

TEST(tensors, scale_and_shift_have_the_types_asked_for) {
    const owned_md data = make_md({2, 8}, jitnorm_f32);
    backward_request request{jitnorm_backward, data, data, data};
    request.flags = SCALE_SHIFT;
    request.scale_shift_type = jitnorm_bf16;
    request.diff_scale_shift_type = jitnorm_f16;
    const owned_pd pd = request.make();
    EXPECT_TRUE(jitnorm_memory_desc_equal(jitnorm_primitive_desc_query_md(pd, jitnorm_query_weights_md, 0),
                                          make_md({8}, jitnorm_bf16)));
    EXPECT_TRUE(jitnorm_memory_desc_equal(jitnorm_primitive_desc_query_md(pd, jitnorm_query_diff_weights_md, 1),
                                          make_md({8}, jitnorm_f16)));
}

} // namespace
