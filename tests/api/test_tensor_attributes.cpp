// SPDX-License-Identifier: Apache-2.0
// Attributes that describe tensors: what is put in comes out, in C and in C++, what primitive descriptors say of it,
// sizes that come at execution, each misuse. What is computed is for the oracle, which benchdnn-lite and the fuzz
// targets ask.
#include <functional>

#include "jitnorm/jitnorm.hpp"
#include "row_tensors.hpp"
#include "support/jitnorm_handle.hpp"
#include "support/undefined.hpp"

using namespace jitnorm::tests;

namespace {

const dims SIZES = {2, 3, 24};

using md_handle = const_jitnorm_memory_desc_t;
using attr_handle = const_jitnorm_primitive_attr_t;

// A tensor of forward that an attribute describes.
struct described_tensor {
    const char *name;
    int arg;
    int inputs, outputs;            // how many more a primitive has
    bool follows_src, is_removable; // its undecided layout; whether null takes it away
    std::function<jitnorm_status_t(jitnorm_primitive_attr_t, md_handle src, md_handle md)> set;
    std::function<jitnorm_status_t(attr_handle, md_handle *)> get;
    dims sizes = SIZES;
};
// clang-format off
const described_tensor TENSORS[] = {
    {"residual", JITNORM_ARG_SRC_1, 2, 0, true, false,
     [](auto attr, md_handle, md_handle md) {
         return jitnorm_primitive_attr_set_residual(attr, md, nullptr, jitnorm_f32, 0);
     },
     [](auto attr, md_handle *md) { return jitnorm_primitive_attr_get_residual(attr, md, nullptr, nullptr, nullptr); }},
    {"sum", JITNORM_ARG_DST_1, 1, 1, true, true,
     [](auto attr, md_handle src, md_handle md) {
         return jitnorm_primitive_attr_set_residual(attr, src, md, NO_BIAS, 0);
     },
     [](auto attr, md_handle *md) { return jitnorm_primitive_attr_get_residual(attr, nullptr, md, nullptr, nullptr); }},
    {"gate", JITNORM_ARG_SRC_2, 2, 0, false, true,
     [](auto attr, md_handle src, md_handle md) {
         jitnorm_primitive_attr_set_residual(attr, src, nullptr, NO_BIAS, 0);
         return jitnorm_primitive_attr_set_residual_gate(attr, md);
     },
     jitnorm_primitive_attr_get_residual_gate, {2, 1, 24}},
#define FURTHER_OUTPUT(place, number, attribute, ...)                                                                  \
    {#attribute "_dst", JITNORM_ARG_DST_##number, 0, 1, true, true,                                                    \
     [](auto attr, md_handle, md_handle md) { return jitnorm_primitive_attr_set_##attribute##_dst(attr, md); },        \
     jitnorm_primitive_attr_get_##attribute##_dst},
#include "../../tables/outputs.inc"
    {"scale", JITNORM_ARG_SCALE, 0, 0, false, true,
     [](auto attr, md_handle, md_handle md) { return jitnorm_primitive_attr_set_scale_shift_descs(attr, md, nullptr); },
     [](auto attr, md_handle *md) {
         md_handle shift = nullptr;
         return jitnorm_primitive_attr_get_scale_shift_descs(attr, md, &shift);
     },
     {2, 1, 24}},
    {"shift", JITNORM_ARG_SHIFT, 0, 0, false, true,
     [](auto attr, md_handle, md_handle md) { return jitnorm_primitive_attr_set_scale_shift_descs(attr, nullptr, md); },
     [](auto attr, md_handle *md) {
         md_handle scale = nullptr;
         return jitnorm_primitive_attr_get_scale_shift_descs(attr, &scale, md);
     },
     {1, 3, 24}},
};
// clang-format on

struct tensor_attribute : testing::TestWithParam<described_tensor> {
    const described_tensor &tensor = GetParam();
    owned_md data = make_md(SIZES, jitnorm_f32), own = make_md(tensor.sizes, jitnorm_f32);

    owned_attr attr_with(md_handle src, md_handle md) const {
        owned_attr attr = make_attr();
        EXPECT_OK(tensor.set(attr, src, md));
        return attr;
    }
    md_handle get(attr_handle attr) const {
        md_handle md = nullptr;
        EXPECT_OK(tensor.get(attr, &md));
        return md;
    }
    owned_pd forward(md_handle src, attr_handle attr) const {
        return forward_request{jitnorm_forward_training, src, src}.make(CH, attr);
    }
    md_handle described(const owned_pd &pd) const { return md_of(pd, tensor.arg); }
};
INSTANTIATE_TEST_SUITE_P(all, tensor_attribute, testing::ValuesIn(TENSORS),
                         [](const auto &tested) { return tested.param.name; });

TEST_P(tensor_attribute, is_what_was_put_in) {
    const owned_md other = make_md(tensor.sizes, jitnorm_f16);
    const owned_attr attr = make_attr();
    EXPECT_EQ(ndims_of(get(attr)), 0);
    EXPECT_OK(tensor.set(attr, data, own));
    owned_attr copy;
    EXPECT_OK(jitnorm_primitive_attr_clone(&copy, attr));
    EXPECT_TRUE(jitnorm_memory_desc_equal(get(attr), own));
    EXPECT_OK(tensor.set(attr, data, other));
    EXPECT_TRUE(jitnorm_memory_desc_equal(get(attr), other));
    if (tensor.is_removable) {
        EXPECT_OK(tensor.set(attr, data, nullptr));
        EXPECT_EQ(ndims_of(get(attr)), 0);
    }
    EXPECT_TRUE(jitnorm_memory_desc_equal(get(copy), own));
}

TEST_P(tensor_attribute, null_pointers_are_refused) {
    const owned_attr attr = make_attr();
    md_handle md = nullptr;
    EXPECT_EQ(tensor.set(nullptr, data, own), INVALID);
    EXPECT_EQ(tensor.get(nullptr, &md), INVALID);
    // The function that tells all of the residual is given null in the place of what is not asked for.
    const bool is_of_residual = tensor.arg == JITNORM_ARG_SRC_1 || tensor.arg == JITNORM_ARG_DST_1;
    EXPECT_EQ(tensor.get(attr, nullptr), is_of_residual ? jitnorm_success : INVALID);
}

TEST_P(tensor_attribute, has_a_decided_layout_in_a_primitive_descriptor) {
    const owned_md src = make_md(SIZES, jitnorm_f32, jitnorm_bac),
                   any = make_md(tensor.sizes, jitnorm_f32, jitnorm_format_tag_any),
                   decided = make_md(tensor.sizes, jitnorm_f32, tensor.follows_src ? jitnorm_bac : jitnorm_abc);
    const owned_pd pd = forward(src, attr_with(src, any));
    EXPECT_TRUE(jitnorm_memory_desc_equal(described(pd), decided));
    EXPECT_TRUE(jitnorm_memory_desc_equal(get(queried(jitnorm_primitive_desc_get_attr, pd)), decided));
}

TEST_P(tensor_attribute, is_counted_and_described) {
    const owned_pd with = forward(data, attr_with(data, own)), without = forward(data, nullptr);
    const auto more = [&](jitnorm_query_t what) {
        return jitnorm_primitive_desc_query_s32(with, what, 0) - jitnorm_primitive_desc_query_s32(without, what, 0);
    };
    EXPECT_EQ(more(jitnorm_query_num_of_inputs_s32), tensor.inputs);
    EXPECT_EQ(more(jitnorm_query_num_of_outputs_s32), tensor.outputs);
    EXPECT_TRUE(jitnorm_memory_desc_equal(described(with), own));
    const bool is_there_anyway = tensor.arg == JITNORM_ARG_SCALE || tensor.arg == JITNORM_ARG_SHIFT;
    EXPECT_EQ(ndims_of(described(without)), is_there_anyway ? 1 : 0);
}

TEST_P(tensor_attribute, sizes_that_come_at_execution) {
    const auto opened = [](dims sizes) {
        for (jitnorm_dim_t &size : sizes) size = size == 1 ? 1 : R;
        return sizes;
    };
    const owned_md open = make_md({R, R, R}, jitnorm_f32, dims{R, R, R}),
                   later = make_md(opened(tensor.sizes), jitnorm_f32, dims{R, R, R});
    const owned_pd known = forward(data, attr_with(data, own)), pd = forward(open, attr_with(open, later));
    execution expected(known), run(pd, known);
    expect_same(run, expected);
    const owned_memory other = make_memory(make_md({2, 4, 24}, jitnorm_f32), JITNORM_MEMORY_ALLOCATE);
    auto list = run.args();
    for (auto &entry : list)
        if (entry.arg == tensor.arg) entry.memory = other;
    EXPECT_EQ(run.run(list), INVALID) << "other sizes than src's";
}

struct residual_attribute : testing::Test {
    owned_md data = make_md(SIZES, jitnorm_f32), half = make_md(SIZES, jitnorm_bf16);

    owned_pd forward(attr_handle attr) const {
        return forward_request{jitnorm_forward_training, data, data}.make(jitnorm_use_scale, attr);
    }
    owned_pd backward(attr_handle attr) const {
        return backward_request{jitnorm_backward, data, data, data}.make(0, attr);
    }
};

TEST_F(residual_attribute, has_a_bias_and_flags) {
    const owned_attr attr = make_attr();
    jitnorm_data_type_t bias = jitnorm_f32;
    unsigned flags = 7;
    const auto expect = [&](jitnorm_data_type_t type, unsigned bits) {
        EXPECT_OK(jitnorm_primitive_attr_get_residual(attr, nullptr, nullptr, &bias, &flags));
        EXPECT_EQ(bias, type);
        EXPECT_EQ(flags, bits);
    };
    expect(NO_BIAS, 0);
    const unsigned both = jitnorm_residual_normalize_rounded | jitnorm_residual_mul_silu;
    EXPECT_OK(jitnorm_primitive_attr_set_residual(attr, data, half, jitnorm_f16, both));
    expect(jitnorm_f16, both);
    const owned_pd pd = forward(attr);
    EXPECT_TRUE(jitnorm_memory_desc_equal(md_of(pd, JITNORM_ARG_BIAS), make_md({24}, jitnorm_f16)));
    EXPECT_OK(jitnorm_primitive_attr_set_residual(attr, half, nullptr, NO_BIAS, 0));
    expect(NO_BIAS, 0);
}

TEST_F(residual_attribute, mistakes_change_nothing) {
    const owned_attr attr = with_residual(data, data);
    const owned_md empty = make_md({}, jitnorm_f32);
    const auto set = jitnorm_primitive_attr_set_residual;
    EXPECT_EQ(set(attr, empty, data, NO_BIAS, 0), INVALID);
    EXPECT_EQ(set(attr, half, data, undefined<jitnorm_data_type_t>(77), 0), INVALID);
    EXPECT_EQ(set(attr, half, data, NO_BIAS, 4), INVALID);
    EXPECT_EQ(set(attr, half, nullptr, NO_BIAS, jitnorm_residual_normalize_rounded), INVALID);
    md_handle residual = nullptr;
    EXPECT_OK(jitnorm_primitive_attr_get_residual(attr, &residual, nullptr, nullptr, nullptr));
    EXPECT_TRUE(jitnorm_memory_desc_equal(residual, data));
}

TEST_F(residual_attribute, the_gradient_of_the_sum_is_described) {
    const auto described = [](const owned_pd &pd) { return md_of(pd, JITNORM_ARG_DIFF_DST_1); };
    EXPECT_EQ(ndims_of(described(forward(nullptr))), 0);
    EXPECT_EQ(ndims_of(described(backward(with_residual(data, nullptr)))), 0);
    EXPECT_TRUE(jitnorm_memory_desc_equal(described(backward(with_residual(data, half))), half));
}

// Without the flags there is neither, but the attributes are those that the descriptor was made with.
TEST(scale_shift_attribute, is_kept_where_it_is_not_used) {
    const owned_md scale = make_md({2, 1, 8}, jitnorm_f32);
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, nullptr));
    const owned_pd pd = forward_pd(jitnorm_forward_inference, {2, 3, 8}, 0, attr);
    md_handle a = nullptr, b = nullptr;
    EXPECT_OK(jitnorm_primitive_attr_get_scale_shift_descs(queried(jitnorm_primitive_desc_get_attr, pd), &a, &b));
    EXPECT_TRUE(jitnorm_memory_desc_equal(a, scale));
}

// They have the dimensions of scale and shift, and are dense.
TEST(scale_shift_attribute, gradients_are_described) {
    const owned_md data = make_md({2, 3, 8}, jitnorm_f32), scale = make_md({2, 1, 8}, jitnorm_f32, dims{48, 48, 1}),
                   dense = make_md({2, 1, 8}, jitnorm_f32),
                   any = make_md({2, 1, 8}, jitnorm_f32, jitnorm_format_tag_any);
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, any));
    const owned_pd pd = backward_request{jitnorm_backward, data, data, data}.make(CH, attr);
    EXPECT_TRUE(jitnorm_memory_desc_equal(md_of(pd, JITNORM_ARG_SCALE), scale));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md_of(pd, JITNORM_ARG_DIFF_SCALE), dense));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md_of(pd, JITNORM_ARG_DIFF_SHIFT), dense));
}

// tests/norm has every rule.
TEST(scale_shift_attribute, each_is_checked) {
    const owned_md data = make_md({2, 3, 16}, jitnorm_f32), batch = make_md({2, 1, 16}, jitnorm_f32),
                   row = make_md({1, 3, 16}, jitnorm_f32), wrong = make_md({3, 1, 16}, jitnorm_f32);
    const auto attempt = [&](md_handle scale, md_handle shift) {
        const owned_attr attr = make_attr();
        EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, shift));
        return status_of(forward_request{.src = data, .dst = data, .flags = CH, .attr = attr});
    };
    EXPECT_OK(attempt(batch, row));
    EXPECT_EQ(attempt(wrong, row), INVALID);
    EXPECT_EQ(attempt(batch, wrong), INVALID);
}

TEST(tensor_attributes_in_cpp, are_those_of_c) {
    using namespace jitnorm;
    const memory::desc md({2, 8}, memory::data_type::f32, memory::format_tag::ab), none;
    primitive_attr attr;
    memory::desc residual, sum;
    memory::data_type bias = memory::data_type::f32;
    residual_flags flags = residual_flags::normalize_rounded;
    attr.set_residual(md);
    attr.get_residual(residual, sum, bias, flags);
    EXPECT_EQ(residual, md);
    EXPECT_EQ(sum, none);
    EXPECT_EQ(bias, memory::data_type::undef);
    EXPECT_EQ(flags, residual_flags::none);
    attr.set_residual(md, md, memory::data_type::bf16, residual_flags::normalize_rounded);
    attr.get_residual(residual, sum, bias, flags);
    EXPECT_EQ(sum, md);
    EXPECT_EQ(bias, memory::data_type::bf16);
    EXPECT_EQ(flags, residual_flags::normalize_rounded);
    EXPECT_THROW(attr.set_residual(none), jitnorm::error);
    attr.set_residual_gate(md);
    EXPECT_EQ(attr.get_residual_gate(), md);
#define FURTHER_OUTPUT(place, number, attribute, ...)                                                                  \
    EXPECT_EQ(attr.get_##attribute##_dst(), none);                                                                     \
    attr.set_##attribute##_dst(md);                                                                                    \
    EXPECT_EQ(attr.get_##attribute##_dst(), md);                                                                       \
    attr.set_##attribute##_dst({});                                                                                    \
    EXPECT_EQ(attr.get_##attribute##_dst(), none);
#include "../../tables/outputs.inc"
    attr.set_scale_shift_descs(md);
    attr.get_scale_shift_descs(residual, sum);
    EXPECT_EQ(residual, md);
    EXPECT_EQ(sum, none);
}

} // namespace
