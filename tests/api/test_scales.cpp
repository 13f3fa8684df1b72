// SPDX-License-Identifier: Apache-2.0
// Scales: the masks, each refused setting, and scales of dst that the library finds, their descriptors and arguments.
#include <string>

#include "support/execution.hpp"
#include "support/undefined.hpp"

using namespace jitnorm::tests;

namespace {

constexpr auto AMAX = jitnorm_quantization_mode_dynamic_amax;
constexpr int SRC = JITNORM_ARG_SRC, DST = JITNORM_ARG_DST, DST_SCALES = JITNORM_ARG_ATTR_SCALES | DST;
constexpr jitnorm_dim_t PAIRS[] = {1, 2}, FOURS[] = {1, 4}, THREES[] = {1, 3}, ROW_PAIRS[] = {2, 2}, NONE[] = {1, 0};
const auto E8M0 = undefined<jitnorm_data_type_t>(13);

// A call of jitnorm_primitive_attr_set_scales_v3 that is right: change one thing and see.
struct scale_request {
    int arg = SRC, mask = 0, ndims = 0;
    const jitnorm_dim_t *groups = nullptr;
    jitnorm_data_type_t type = jitnorm_f32;
    int is_on_host = 0;
    jitnorm_quantization_mode_t mode = jitnorm_quantization_mode_static_sazp;

    jitnorm_status_t set(jitnorm_primitive_attr_t attr) const {
        return jitnorm_primitive_attr_set_scales_v3(attr, arg, mask, ndims, groups, type, is_on_host, mode);
    }
    owned_attr attr() const {
        owned_attr made = make_attr();
        EXPECT_OK(set(made));
        return made;
    }
};

// Scales that are found, of a dst of two dimensions.
scale_request dynamic(int mask = 1, int ndims = 0, const jitnorm_dim_t *groups = nullptr) {
    return {.arg = DST, .mask = mask, .ndims = ndims, .groups = groups, .mode = AMAX};
}

TEST(scales, are_taken_by_any_attributes) {
    const owned_attr attr = make_attr();
    for (const auto &[arg, mask] : {std::pair(SRC, 0), {DST, 0}, {SRC, 1}})
        EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, arg, mask));
    for (const auto &[arg, mask] : {std::pair(SRC, -1), {-1, 0}})
        EXPECT_EQ(jitnorm_primitive_attr_set_scales_mask(attr, arg, mask), INVALID);
    EXPECT_OK(scale_request{}.set(attr));
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, E8M0, jitnorm_f8_e4m3})
        EXPECT_OK((scale_request{.mask = 3, .ndims = 2, .groups = PAIRS, .type = type}.set(attr)));
    EXPECT_OK(scale_request{.is_on_host = 1}.set(attr));
    EXPECT_OK(scale_request{.mode = jitnorm_quantization_mode_dynamic_fp}.set(attr));
    for (const auto type : {jitnorm_s8, jitnorm_data_type_undef, E8M0, jitnorm_f8_e4m3})
        EXPECT_EQ(scale_request{.type = type}.set(attr), INVALID) << type;
    for (const auto mode : {jitnorm_quantization_mode_undef, undefined<jitnorm_quantization_mode_t>(4)})
        EXPECT_EQ(scale_request{.mode = mode}.set(attr), INVALID) << mode;
    const scale_request others[] = {{.arg = -1},
                                    {.mask = -1},
                                    {.mask = 3, .ndims = 1, .groups = PAIRS},
                                    {.mask = 3, .ndims = 2},
                                    {.mask = 3, .ndims = 2, .groups = NONE},
                                    {.ndims = 2, .groups = PAIRS},
                                    {.mask = 1, .is_on_host = 1}};
    for (const scale_request &wrong : others) EXPECT_EQ(wrong.set(attr), INVALID) << &wrong - others;
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
        EXPECT_EQ(jitnorm_primitive_attr_set_zero_points_mask(attr, arg, 0), INVALID) << arg;
    }
    for (const int arg :
         {0, JITNORM_ARG_DST_1, JITNORM_ARG_DST_2, JITNORM_ARG_BIAS, JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE,
          JITNORM_ARG_SCALE, JITNORM_ARG_SHIFT, JITNORM_ARG_WORKSPACE, JITNORM_ARG_SCRATCHPAD, JITNORM_ARG_DIFF_SRC,
          JITNORM_ARG_DIFF_DST, JITNORM_ARG_DIFF_SCALE, 16384 + 3, JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC,
          JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0) | JITNORM_ARG_SRC_1}) {
        EXPECT_EQ(jitnorm_primitive_attr_set_scales_mask(attr, arg, 0), INVALID) << arg;
        EXPECT_EQ(jitnorm_primitive_attr_set_zero_points_mask(attr, arg, 0), INVALID) << arg;
    }
}

// ---------------------------------------------------------------- what layer normalization makes of them

// Rows of four, mean of squares 1, that the scale makes smaller but for the first column.
const dims SHAPE = {2, 4};
const std::vector<float> ROWS = {1, -1, 1, 1, -1, 1, 1, 1}, PARTS = {1, 0.75F, 0.25F, 0.25F};

jitnorm_status_t create(owned_pd &pd, const owned_attr &attr, const dims &src_sizes = SHAPE, bool has_dst = true) {
    const owned_md src = make_md(src_sizes, jitnorm_f32), dst = make_md(has_dst ? src_sizes : dims{}, jitnorm_s8);
    const unsigned flags = unsigned(jitnorm_rms_norm) | jitnorm_use_scale;
    return forward_request{jitnorm_forward_inference, src, dst, nullptr, jitnorm_f32, 0, flags, attr}.create(&pd);
}

owned_pd pd_with(const owned_attr &attr, const dims &src_sizes = SHAPE) {
    owned_pd pd;
    EXPECT_OK(create(pd, attr, src_sizes));
    return pd;
}

dims dims_of_scales(const owned_pd &pd) { return dims_of(md_of(pd, DST_SCALES), jitnorm_query_dims); }

void expect_refusal(jitnorm_status_t status, const char *reason, const scale_request &asked, bool has_dst = true) {
    owned_pd pd;
    EXPECT_EQ(create(pd, asked.attr(), SHAPE, has_dst), status) << reason;
    EXPECT_NE(std::string(jitnorm_get_last_error()).find(reason), std::string::npos) << jitnorm_get_last_error();
}

// tests/norm has what the scales do not go with, test_onednn_names.cpp other scales that are refused.
TEST(scales, are_refused_where_a_descriptor_is_created) {
    expect_refusal(jitnorm_unimplemented, "another tensor than src and dst", {.arg = JITNORM_ARG_SRC_1});
    expect_refusal(jitnorm_unimplemented, "another type than f32", {.type = jitnorm_f16});
    expect_refusal(jitnorm_unimplemented, "another tensor than dst", {.arg = SRC, .mask = 1, .mode = AMAX});
    expect_refusal(jitnorm_unimplemented, "another type than f32",
                   {.arg = DST, .mask = 1, .type = jitnorm_f16, .mode = AMAX});
    expect_refusal(jitnorm_unimplemented, "one dynamic scale for the whole tensor", dynamic(0));
    for (const scale_request &asked : {dynamic(2), dynamic(3), dynamic(3, 2, ROW_PAIRS), dynamic(1, 2, PAIRS)})
        expect_refusal(jitnorm_unimplemented, "supported per row", asked);
    expect_refusal(INVALID, "dst has 2 dimensions", dynamic(5));
    expect_refusal(INVALID, "do not divide rows", dynamic(3, 2, THREES));
    expect_refusal(INVALID, "no dimensions", dynamic(), false);
}

TEST(dynamic_scales, of_rows_and_of_groups_of_columns) {
    const struct {
        scale_request asked;
        dims of;
        std::vector<int8_t> dst;
        std::vector<float> scales;
    } cases[] = {{dynamic(), {2, 1}, {127, -95, 32, 32, -127, 95, 32, 32}, {1.0F / 127, 1.0F / 127}},
                 {dynamic(3, 2, PAIRS),
                  {2, 2},
                  {127, -95, 127, 127, -127, 95, 127, 127},
                  {1.0F / 127, 0.25F / 127, 1.0F / 127, 0.25F / 127}}};
    for (const auto &[asked, of, dst, scales] : cases) {
        const owned_pd pd = pd_with(asked.attr());
        EXPECT_EQ(dims_of_scales(pd), of);
        EXPECT_EQ(jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_outputs_s32, 0), 1) << "dst alone";
        execution e(pd);
        e.set(SRC, ROWS);
        e.set(JITNORM_ARG_SCALE, PARTS);
        ASSERT_OK(e.run());
        EXPECT_EQ(e.get<int8_t>(DST), dst);
        EXPECT_EQ(e.get(DST_SCALES), scales);
    }
    // A request for other groups is another primitive.
    EXPECT_EQ(dims_of_scales(pd_with(dynamic(3, 2, FOURS).attr())), (dims{2, 1}));
}

TEST(dynamic_scales, what_is_said_last_counts) {
    const owned_attr attr = dynamic().attr();
    ASSERT_OK(jitnorm_primitive_attr_set_scales_mask(attr, DST, 0));
    EXPECT_EQ(dims_of_scales(pd_with(attr)), (dims{1}));
    ASSERT_OK(dynamic().set(attr));
    EXPECT_EQ(dims_of_scales(pd_with(attr)), (dims{2, 1}));
}

} // namespace
