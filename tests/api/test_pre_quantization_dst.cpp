// SPDX-License-Identifier: Apache-2.0
// The pre-quantization output through the C and C++ interfaces: what is put in comes out, what is computed, each
// misuse.
#include "jitnorm/jitnorm.hpp"
#include "rig/execution.hpp"
#include "rig/unknown.hpp"

using namespace jitnorm::tests;

namespace {

constexpr auto INVALID = jitnorm_invalid_arguments;
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

    jitnorm_status_t try_forward(const_jitnorm_primitive_attr_t attr, jitnorm_primitive_desc_t *pd) const {
        forward_request request{jitnorm_forward_inference, data, bytes};
        request.attr = attr;
        return request.create(pd);
    }
    owned_pd forward(const_jitnorm_primitive_attr_t attr) const {
        owned_pd pd;
        EXPECT_OK(try_forward(attr, &pd));
        return pd;
    }
    jitnorm_status_t try_forward(const_jitnorm_memory_desc_t md) const {
        const owned_attr attr = with_output(md);
        owned_pd pd;
        return try_forward(attr, &pd);
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

// The integers come from what the second output has, by the scales that were found.
TEST_F(pre_quantization_dst, what_is_computed) {
    for (const char *implementation : {"", "ref:any", "jit:avx2"}) {
        ASSERT_OK(jitnorm_set_implementation(implementation));
        const owned_attr attr = with_output(data);
        EXPECT_OK(jitnorm_primitive_attr_set_scales_v3(attr, JITNORM_ARG_DST, 3, 0, nullptr, jitnorm_f32, 0,
                                                       jitnorm_quantization_mode_dynamic_amax));
        const owned_pd plain = forward_request{jitnorm_forward_inference, data, data}.make();
        execution run(forward(attr)), alone(plain);
        for (execution *e : {&run, &alone}) {
            e->set(JITNORM_ARG_SRC, numbers(ROWS * COLUMNS));
            EXPECT_OK(e->run());
        }
        const auto y = run.get(JITNORM_ARG_DST_2), scales = run.get(JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST);
        const auto q = run.get<int8_t>(JITNORM_ARG_DST);
        EXPECT_EQ(y, alone.get(JITNORM_ARG_DST));
        for (size_t i = 0; i < y.size(); ++i)
            EXPECT_NEAR(y[i], float(q[i]) * scales[i / COLUMNS], scales[i / COLUMNS] * 0.501f);
    }
    ASSERT_OK(jitnorm_set_implementation(nullptr));
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
