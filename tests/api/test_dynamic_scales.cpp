// SPDX-License-Identifier: Apache-2.0
// Scales of dst that the library finds, through the C interface: what they are asked for with, how they are described
// and handed over, and each way to ask for what there is not.
#include <gtest/gtest.h>

#include <string>

#include "rig/execution.hpp"

using namespace jitnorm::tests;

namespace {

constexpr auto UNIMPLEMENTED = jitnorm_unimplemented;
constexpr int DST_SCALES = JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST;
constexpr jitnorm_dim_t PAIRS[] = {1, 2}, FOURS[] = {1, 4}, THREES[] = {1, 3}, ROW_PAIRS[] = {2, 2};

// A call that is right for a dst of two dimensions: change one thing and see.
struct dynamic_scales {
    int arg = JITNORM_ARG_DST, mask = 1, ndims = 0;
    const jitnorm_dim_t *groups = nullptr;
    jitnorm_data_type_t type = jitnorm_f32;
    jitnorm_quantization_mode_t mode = jitnorm_quantization_mode_dynamic_amax;

    owned_attr attr() const {
        owned_attr made = make_attr();
        EXPECT_OK(jitnorm_primitive_attr_set_scales_v3(made, arg, mask, ndims, groups, type, 0, mode));
        return made;
    }
};

// Rows of four, mean of squares 1, that the scale makes smaller but for the first column.
const dims SHAPE = {2, 4};
const std::vector<float> SRC = {1, -1, 1, 1, -1, 1, 1, 1}, PARTS = {1, 0.75F, 0.25F, 0.25F};

struct request {
    owned_md src = make_md(SHAPE, jitnorm_f32), dst = make_md(SHAPE, jitnorm_s8);
    forward_request forward{jitnorm_forward_inference, src, dst};

    jitnorm_status_t create(owned_pd &pd, const owned_attr &attr) {
        forward.flags = jitnorm_rms_norm | jitnorm_use_scale;
        forward.epsilon = 0;
        forward.attr = attr;
        return forward.create(&pd);
    }
};

owned_pd pd_with_scales(const dynamic_scales &asked) {
    owned_pd pd;
    EXPECT_OK(request().create(pd, asked.attr()));
    return pd;
}

dims dims_of_scales(const_jitnorm_primitive_desc_t pd) {
    const auto *md = jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, DST_SCALES);
    const jitnorm_dims_t *sizes = nullptr;
    EXPECT_OK(jitnorm_memory_desc_query(md, jitnorm_query_dims, &sizes));
    return {*sizes, *sizes + ndims_of(md)};
}

TEST(dynamic_scales, of_rows_and_of_groups_of_columns) {
    const struct {
        dynamic_scales asked;
        dims of;
        std::vector<int8_t> dst;
        std::vector<float> scales;
    } cases[] = {{{}, {2, 1}, {127, -95, 32, 32, -127, 95, 32, 32}, {1.0F / 127, 1.0F / 127}},
                 {{.mask = 3, .ndims = 2, .groups = PAIRS},
                  {2, 2},
                  {127, -95, 127, 127, -127, 95, 127, 127},
                  {1.0F / 127, 0.25F / 127, 1.0F / 127, 0.25F / 127}}};
    for (const auto &[asked, of, dst, scales] : cases) {
        const owned_pd pd = pd_with_scales(asked);
        EXPECT_EQ(dims_of_scales(pd), of);
        execution e(pd);
        e.set(JITNORM_ARG_SRC, SRC);
        e.set(JITNORM_ARG_SCALE, PARTS);
        ASSERT_OK(e.run());
        EXPECT_EQ(e.get<int8_t>(JITNORM_ARG_DST), dst);
        EXPECT_EQ(e.get(DST_SCALES), scales);
    }
    // A request for other groups is another primitive.
    EXPECT_EQ(dims_of_scales(pd_with_scales({.mask = 3, .ndims = 2, .groups = FOURS})), (dims{2, 1}));
}

TEST(dynamic_scales, are_an_output_of_the_attributes) {
    const owned_pd pd = pd_with_scales({});
    int inputs = 0, outputs = 0;
    EXPECT_OK(jitnorm_primitive_desc_query(pd, jitnorm_query_num_of_inputs_s32, 0, &inputs));
    EXPECT_OK(jitnorm_primitive_desc_query(pd, jitnorm_query_num_of_outputs_s32, 0, &outputs));
    EXPECT_EQ(inputs, 2);
    EXPECT_EQ(outputs, 1);
}

void expect_refusal(jitnorm_status_t status, const char *reason, const owned_attr &attr, request r = {}) {
    owned_pd pd;
    EXPECT_EQ(r.create(pd, attr), status) << reason;
    EXPECT_NE(std::string(jitnorm_get_last_error()).find(reason), std::string::npos) << jitnorm_get_last_error();
}

TEST(dynamic_scales, refusals_by_their_kind) {
    expect_refusal(UNIMPLEMENTED, "another tensor than dst", dynamic_scales{.arg = JITNORM_ARG_SRC}.attr());
    expect_refusal(UNIMPLEMENTED, "one scale for the whole tensor", dynamic_scales{.mask = 0}.attr());
    expect_refusal(UNIMPLEMENTED, "another type than f32", dynamic_scales{.type = jitnorm_f16}.attr());
    expect_refusal(UNIMPLEMENTED, "for each row", dynamic_scales{.mask = 2}.attr());
    expect_refusal(UNIMPLEMENTED, "for each row", dynamic_scales{.mask = 3}.attr());
    expect_refusal(UNIMPLEMENTED, "for each row", dynamic_scales{.mask = 3, .ndims = 2, .groups = ROW_PAIRS}.attr());
    expect_refusal(UNIMPLEMENTED, "for each row", dynamic_scales{.mask = 1, .ndims = 2, .groups = PAIRS}.attr());
    expect_refusal(INVALID, "dst has 2 dimensions", dynamic_scales{.mask = 5}.attr());
    expect_refusal(INVALID, "not whole groups", dynamic_scales{.mask = 3, .ndims = 2, .groups = THREES}.attr());
}

// tests/norm has what the scales do not go with.
TEST(dynamic_scales, need_a_dst) {
    request empty;
    empty.dst = owned_md();
    must(jitnorm_memory_desc_create_with_tag(&empty.dst, 0, nullptr, jitnorm_data_type_undef, jitnorm_format_tag_undef),
         "");
    empty.forward.dst = empty.dst;
    expect_refusal(INVALID, "no dimensions", dynamic_scales{}.attr(), std::move(empty));
}

TEST(dynamic_scales, are_not_for_backward) {
    const owned_md data = make_md(SHAPE, jitnorm_f32);
    backward_request backward{jitnorm_backward, data, data, data};
    const owned_attr attr = dynamic_scales{}.attr();
    backward.attr = attr;
    owned_pd pd;
    EXPECT_EQ(backward.create(&pd), UNIMPLEMENTED);
}

TEST(dynamic_scales, what_is_said_last_counts) {
    const owned_attr attr = dynamic_scales{}.attr();
    ASSERT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_DST, 0));
    owned_pd pd;
    ASSERT_OK(request().create(pd, attr));
    EXPECT_EQ(dims_of_scales(pd), (dims{1}));
    ASSERT_OK(jitnorm_primitive_attr_set_scales_v3(attr, JITNORM_ARG_DST, 1, 0, nullptr, jitnorm_f32, 0,
                                                   jitnorm_quantization_mode_dynamic_amax));
    owned_pd again;
    ASSERT_OK(request().create(again, attr));
    EXPECT_EQ(dims_of_scales(again), (dims{2, 1}));
}

TEST(dynamic_scales, of_rows_without_elements_are_zero) {
    request r;
    r.src = make_md({3, 0}, jitnorm_f32);
    r.dst = make_md({3, 0}, jitnorm_s8);
    r.forward.src = r.src;
    r.forward.dst = r.dst;
    owned_pd pd;
    ASSERT_OK(r.create(pd, dynamic_scales{}.attr()));
    execution e(pd);
    ASSERT_OK(e.run());
    EXPECT_EQ(e.get(DST_SCALES), (std::vector<float>(3, 0)));
}

// Other primitives quantize other tensors, but none quantizes all.
TEST(scales, and_zero_points_of_what_is_never_quantized) {
    const owned_attr attr = make_attr();
    const int src_2 = 3, weights = 33, second_of_many = 1024 + 1, weights_of_a_fused_convolution = 16384 + 33;
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST, src_2, weights}) {
        EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, arg, 0));
        EXPECT_OK(jitnorm_primitive_attr_set_zero_points_mask(attr, arg, 0));
    }
    for (const int arg : {JITNORM_ARG_SRC_1, second_of_many, weights_of_a_fused_convolution}) {
        EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, arg, 0));
        EXPECT_EQ(jitnorm_primitive_attr_set_zero_points_mask(attr, arg, 0), jitnorm_invalid_arguments) << arg;
    }
    for (const int arg :
         {0, JITNORM_ARG_DST_1, JITNORM_ARG_DST_2, JITNORM_ARG_BIAS, JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE,
          JITNORM_ARG_SCALE, JITNORM_ARG_SHIFT, JITNORM_ARG_WORKSPACE, JITNORM_ARG_SCRATCHPAD, JITNORM_ARG_DIFF_SRC,
          JITNORM_ARG_DIFF_DST, JITNORM_ARG_DIFF_SCALE, 16384 + 3, JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC,
          JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0) | JITNORM_ARG_SRC_1}) {
        EXPECT_EQ(jitnorm_primitive_attr_set_scales_mask(attr, arg, 0), jitnorm_invalid_arguments) << arg;
        EXPECT_EQ(jitnorm_primitive_attr_set_zero_points_mask(attr, arg, 0), jitnorm_invalid_arguments) << arg;
    }
}

} // namespace
