// SPDX-License-Identifier: Apache-2.0
// The pre-quantization output through the C and C++ interfaces: what is put in comes out, and what descriptors say of
// it.
#include "jitnorm/jitnorm.hpp"
#include "rig/execution.hpp"

using namespace jitnorm::tests;

namespace {

constexpr size_t ROWS = 6, COLUMNS = 24;
const dims SIZES = {2, 3, 24};

owned_attr with_output(const_jitnorm_memory_desc_t md) {
    owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_pre_quantization_dst(attr, md));
    return attr;
}

struct pre_quantization_dst : testing::Test {
    owned_md data = make_md(SIZES, jitnorm_f32), half = make_md(SIZES, jitnorm_bf16),
             bytes = make_md(SIZES, jitnorm_s8);

    owned_pd forward(const_jitnorm_primitive_attr_t attr) const {
        return forward_request{jitnorm_forward_inference, data, bytes}.make(0, attr);
    }
};

std::vector<float> numbers(size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = float(i * 37 % 97) / 16.f - 3.f;
    return values;
}

TEST_F(pre_quantization_dst, what_is_put_in_comes_out) {
    const owned_attr attr = make_attr();
    const_jitnorm_memory_desc_t md = nullptr;
    EXPECT_OK(jitnorm_primitive_attr_get_pre_quantization_dst(attr, &md));
    EXPECT_EQ(ndims_of(md), 0);
    EXPECT_OK(jitnorm_primitive_attr_set_pre_quantization_dst(attr, half));
    owned_attr copy;
    EXPECT_OK(jitnorm_primitive_attr_clone(&copy, attr));
    for (const_jitnorm_primitive_attr_t asked : {attr.get(), copy.get()}) {
        EXPECT_OK(jitnorm_primitive_attr_get_pre_quantization_dst(asked, &md));
        EXPECT_TRUE(jitnorm_memory_desc_equal(md, half));
    }
    EXPECT_OK(jitnorm_primitive_attr_set_pre_quantization_dst(attr, nullptr));
    EXPECT_OK(jitnorm_primitive_attr_get_pre_quantization_dst(attr, &md));
    EXPECT_EQ(ndims_of(md), 0);
}

TEST_F(pre_quantization_dst, the_same_in_cpp) {
    const jitnorm::memory::desc md({2, 3, 24}, jitnorm::memory::data_type::bf16, jitnorm::memory::format_tag::abc);
    jitnorm::primitive_attr attr;
    EXPECT_EQ(attr.get_pre_quantization_dst(), jitnorm::memory::desc());
    attr.set_pre_quantization_dst(md);
    EXPECT_EQ(attr.get_pre_quantization_dst(), md);
    attr.set_pre_quantization_dst({});
    EXPECT_EQ(attr.get_pre_quantization_dst(), jitnorm::memory::desc());
}

TEST_F(pre_quantization_dst, an_undecided_layout_is_that_of_src) {
    const owned_md any = make_md(SIZES, jitnorm_bf16, jitnorm_format_tag_any),
                   swapped = make_md(SIZES, jitnorm_f32, jitnorm_bac),
                   decided = make_md(SIZES, jitnorm_bf16, jitnorm_bac);
    const owned_attr attr = with_output(any);
    const owned_pd pd = forward_request{jitnorm_forward_inference, swapped, bytes}.make(0, attr);
    const auto *md = jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, JITNORM_ARG_DST_2);
    EXPECT_TRUE(jitnorm_memory_desc_equal(md, decided));
    const_jitnorm_primitive_attr_t kept = nullptr;
    EXPECT_OK(jitnorm_primitive_desc_get_attr(pd, &kept));
    EXPECT_OK(jitnorm_primitive_attr_get_pre_quantization_dst(kept, &md));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md, decided));
}

TEST_F(pre_quantization_dst, is_counted_as_an_output) {
    const owned_pd with = forward(with_output(half)), without = forward(nullptr);
    const auto outputs = [](const owned_pd &pd) {
        return jitnorm_primitive_desc_query_s32(pd, jitnorm_query_num_of_outputs_s32, 0);
    };
    EXPECT_EQ(outputs(with), outputs(without) + 1);
    EXPECT_EQ(ndims_of(jitnorm_primitive_desc_query_md(without, jitnorm_query_exec_arg_md, JITNORM_ARG_DST_2)), 0);
}

TEST_F(pre_quantization_dst, sizes_that_come_at_execution) {
    constexpr jitnorm_dim_t R = JITNORM_RUNTIME_DIM_VAL;
    const owned_md open = make_md({R, R, R}, jitnorm_f32, dims{R, R, R}),
                   late = make_md({R, R, R}, jitnorm_bf16, dims{R, R, R}),
                   open_bytes = make_md({R, R, R}, jitnorm_s8, dims{R, R, R});
    const owned_attr early = with_output(half), attr = with_output(late);
    const owned_pd pd = forward_request{jitnorm_forward_inference, open, open_bytes}.make(0, attr);
    execution known(forward(early)), found(pd, forward(early));
    for (execution *run : {&known, &found}) {
        run->set(JITNORM_ARG_SRC, numbers(ROWS * COLUMNS));
        EXPECT_OK(run->run());
    }
    EXPECT_EQ(found.get<uint16_t>(JITNORM_ARG_DST_2), known.get<uint16_t>(JITNORM_ARG_DST_2));
}

} // namespace
