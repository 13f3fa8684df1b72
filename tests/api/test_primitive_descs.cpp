// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors: their queries.
#include <algorithm>
#include <set>
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

// test_cpp_header.cpp asks for the rest.
TEST(primitive_desc, answers_what_cpp_does_not_ask) {
    const owned_pd pd = forward_pd(jitnorm_forward_inference, DATA);
    EXPECT_EQ(answer_of<jitnorm_engine_t>(pd, jitnorm_query_scratchpad_engine), cpu());
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

TEST(primitive_desc, keeps_a_copy_of_the_attributes) {
    const owned_pd pd = forward_pd(jitnorm_forward_inference, DATA, 0, with_user_scratchpad());
    const auto *kept = queried(jitnorm_primitive_desc_get_attr, pd);
    EXPECT_EQ(queried(jitnorm_primitive_attr_get_scratchpad_mode, kept), jitnorm_scratchpad_mode_user);
    EXPECT_EQ(answer_of<int64_t>(pd, jitnorm_query_memory_consumption_s64), 0); // none of the library's own
}

struct expected_tensors {
    const char *name;
    jitnorm_prop_kind_t kind;
    unsigned flags;
    int inputs, outputs;
    std::set<int> args; // beside src, and the gradients of src and dst, or dst
};
constexpr int MEAN = JITNORM_ARG_MEAN, VARIANCE = JITNORM_ARG_VARIANCE, SCALE = JITNORM_ARG_SCALE,
              SHIFT = JITNORM_ARG_SHIFT, DIFF_SCALE = JITNORM_ARG_DIFF_SCALE, DIFF_SHIFT = JITNORM_ARG_DIFF_SHIFT;

class tensors : public testing::TestWithParam<expected_tensors> {};

TEST_P(tensors, are_what_the_table_says) {
    const expected_tensors &e = GetParam();
    const bool is_forward = e.kind == jitnorm_forward_training || e.kind == jitnorm_forward_inference;
    const bool are_inputs = !is_forward || (e.flags & jitnorm_use_global_stats) != 0; // statistics
    const owned_pd pd = is_forward ? forward_pd(e.kind, DATA, e.flags) : backward_pd(e.kind, DATA, e.flags);
    const auto side = are_inputs ? jitnorm_query_src_md : jitnorm_query_dst_md;
    const auto other = are_inputs ? jitnorm_query_dst_md : jitnorm_query_src_md;
    const auto if_any = [](bool any, const dims &sizes) { return any ? sizes : NONE; };
    const auto if_one = [&](std::initializer_list<int> of, const dims &sizes) {
        return if_any(std::ranges::any_of(of, [&](int arg) { return e.args.contains(arg); }), sizes);
    };
    const auto by_arg = [&](int arg) { return shape_of(pd, jitnorm_query_exec_arg_md, arg); };

    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_inputs_s32, 0), e.inputs);
    EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_outputs_s32, 0), e.outputs);
    EXPECT_EQ(shape_of(pd, jitnorm_query_src_md, 0), DATA);
    EXPECT_EQ(shape_of(pd, jitnorm_query_dst_md, 0), if_any(is_forward, DATA));
    EXPECT_EQ(shape_of(pd, jitnorm_query_diff_src_md, 0), if_any(!is_forward, DATA));
    EXPECT_EQ(shape_of(pd, jitnorm_query_diff_dst_md, 0), if_any(!is_forward, DATA));
    EXPECT_EQ(shape_of(pd, side, 1), if_one({MEAN}, STATISTICS));
    EXPECT_EQ(shape_of(pd, side, 2), if_one({VARIANCE}, STATISTICS));
    EXPECT_EQ(shape_of(pd, other, 1), NONE);
    EXPECT_EQ(shape_of(pd, other, 2), NONE);
    for (const int index : {0, 1}) { // one vector describes both, as in oneDNN
        EXPECT_EQ(shape_of(pd, jitnorm_query_weights_md, index), if_one({SCALE, SHIFT}, WEIGHTS));
        EXPECT_EQ(shape_of(pd, jitnorm_query_diff_weights_md, index), if_one({DIFF_SCALE, DIFF_SHIFT}, WEIGHTS));
    }
    EXPECT_EQ(shape_of(pd, jitnorm_query_weights_md, 2), NONE);
    EXPECT_EQ(shape_of(pd, jitnorm_query_workspace_md, 0), NONE);
    EXPECT_EQ(shape_of(pd, jitnorm_query_scratchpad_md, 0), NONE); // the library's own is not shown
    EXPECT_EQ(shape_of(pd, jitnorm_query_src_md, 3), NONE);
    EXPECT_EQ(shape_of(pd, jitnorm_query_src_md, -1), NONE);

    EXPECT_EQ(by_arg(JITNORM_ARG_SRC), DATA);
    EXPECT_EQ(by_arg(JITNORM_ARG_DST), if_any(is_forward, DATA));
    EXPECT_EQ(by_arg(JITNORM_ARG_DIFF_SRC), if_any(!is_forward, DATA));
    EXPECT_EQ(by_arg(JITNORM_ARG_DIFF_DST), if_any(!is_forward, DATA));
    for (const int arg : {MEAN, VARIANCE}) EXPECT_EQ(by_arg(arg), if_one({arg}, STATISTICS)) << arg;
    for (const int arg : {SCALE, SHIFT, DIFF_SCALE, DIFF_SHIFT}) EXPECT_EQ(by_arg(arg), if_one({arg}, WEIGHTS)) << arg;
    for (const int arg : {0, JITNORM_ARG_WORKSPACE, JITNORM_ARG_SCRATCHPAD, -1, 1 << 30})
        EXPECT_EQ(by_arg(arg), NONE) << arg;
}

constexpr unsigned GLOBAL = jitnorm_use_global_stats, RMS = jitnorm_rms_norm, SCALE_ONLY = jitnorm_use_scale,
                   SHIFT_ONLY = jitnorm_use_shift;
constexpr auto INFERENCE = jitnorm_forward_inference, TRAINING = jitnorm_forward_training, BOTH = jitnorm_backward,
               ALONE = jitnorm_backward_data;

// Of rms_norm the mean has a descriptor and is not looked at.
const expected_tensors EXPECTED[] = {
    {"inference", INFERENCE, 0, 1, 1, {}},
    {"inference_scale_shift", INFERENCE, SCALE_SHIFT, 3, 1, {SCALE, SHIFT}},
    {"inference_global", INFERENCE, GLOBAL, 3, 1, {MEAN, VARIANCE}},
    {"inference_global_rms", INFERENCE, GLOBAL | RMS, 2, 1, {MEAN, VARIANCE}},
    {"training", TRAINING, 0, 1, 3, {MEAN, VARIANCE}},
    {"training_shift", TRAINING, SHIFT_ONLY, 2, 3, {MEAN, VARIANCE, SHIFT}},
    {"training_rms", TRAINING, RMS, 1, 2, {MEAN, VARIANCE}},
    {"training_global", TRAINING, GLOBAL, 3, 1, {MEAN, VARIANCE}},
    {"backward", BOTH, 0, 4, 1, {MEAN, VARIANCE}},
    {"backward_scale", BOTH, SCALE_ONLY, 5, 2, {MEAN, VARIANCE, SCALE, DIFF_SCALE}},
    {"backward_scale_shift", BOTH, SCALE_SHIFT, 5, 3, {MEAN, VARIANCE, SCALE, SHIFT, DIFF_SCALE, DIFF_SHIFT}},
    {"backward_global_rms", BOTH, GLOBAL | RMS, 3, 1, {MEAN, VARIANCE}},
    {"backward_data_scale_shift", ALONE, SCALE_SHIFT, 5, 1, {MEAN, VARIANCE, SCALE, SHIFT}}};
INSTANTIATE_TEST_SUITE_P(all, tensors, testing::ValuesIn(EXPECTED),
                         [](const auto &tested) { return tested.param.name; });

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

} // namespace
