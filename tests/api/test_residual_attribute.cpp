// SPDX-License-Identifier: Apache-2.0
// The residual addition through the C and C++ interfaces: what is put in comes out, what descriptors say of
// it, each misuse. What is computed is for the oracle, which benchdnn-lite and the fuzz targets ask.
#include "jitnorm/jitnorm.hpp"
#include "residual_model.hpp"
#include "rig/unknown.hpp"

using namespace jitnorm::tests;

namespace {

constexpr auto INVALID = jitnorm_invalid_arguments;

class residual_attribute : public residual_model {};

// ---------------------------------------------------------------- the attribute

TEST_F(residual_attribute, what_is_put_in_comes_out) {
    const owned_attr attr = make_attr();
    const_jitnorm_memory_desc_t residual = nullptr, sum = nullptr;
    jitnorm_data_type_t bias = jitnorm_f32;
    unsigned flags = 7;
    EXPECT_OK(jitnorm_primitive_attr_get_residual(attr, &residual, &sum, &bias, &flags));
    EXPECT_EQ(ndims_of(residual), 0);
    EXPECT_EQ(ndims_of(sum), 0);
    EXPECT_EQ(bias, NO_BIAS);
    EXPECT_EQ(flags, 0U);
    const unsigned both = jitnorm_residual_normalize_rounded | jitnorm_residual_mul_silu;
    EXPECT_OK(jitnorm_primitive_attr_set_residual(attr, data, half, jitnorm_f16, both));
    owned_attr copy;
    EXPECT_OK(jitnorm_primitive_attr_clone(&copy, attr));
    for (const_jitnorm_primitive_attr_t asked : {attr.get(), copy.get()}) {
        EXPECT_OK(jitnorm_primitive_attr_get_residual(asked, &residual, &sum, &bias, &flags));
        EXPECT_TRUE(jitnorm_memory_desc_equal(residual, data));
        EXPECT_TRUE(jitnorm_memory_desc_equal(sum, half));
        EXPECT_EQ(bias, jitnorm_f16);
        EXPECT_EQ(flags, both);
    }
    EXPECT_OK(jitnorm_primitive_attr_get_residual(attr, nullptr, nullptr, nullptr, nullptr));
    EXPECT_OK(jitnorm_primitive_attr_set_residual(attr, half, nullptr, NO_BIAS, 0));
    EXPECT_OK(jitnorm_primitive_attr_get_residual(attr, &residual, &sum, nullptr, &flags));
    EXPECT_TRUE(jitnorm_memory_desc_equal(residual, half));
    EXPECT_EQ(ndims_of(sum), 0);
    EXPECT_EQ(flags, 0U);
}

TEST_F(residual_attribute, mistakes_change_nothing) {
    const owned_attr attr = with_residual(data, data);
    const owned_md empty = make_md({}, jitnorm_f32);
    const auto set = [](jitnorm_primitive_attr_t to, const_jitnorm_memory_desc_t residual,
                        const_jitnorm_memory_desc_t sum, jitnorm_data_type_t bias,
                        unsigned flags) { return jitnorm_primitive_attr_set_residual(to, residual, sum, bias, flags); };
    EXPECT_EQ(set(attr, empty, data, NO_BIAS, 0), INVALID);
    EXPECT_EQ(set(attr, half, data, unknown<jitnorm_data_type_t>(77), 0), INVALID);
    EXPECT_EQ(set(attr, half, data, NO_BIAS, 4), INVALID);
    EXPECT_EQ(set(attr, half, nullptr, NO_BIAS, jitnorm_residual_normalize_rounded), INVALID);
    const_jitnorm_memory_desc_t residual = nullptr;
    EXPECT_OK(jitnorm_primitive_attr_get_residual(attr, &residual, nullptr, nullptr, nullptr));
    EXPECT_TRUE(jitnorm_memory_desc_equal(residual, data));
}

TEST_F(residual_attribute, undecided_layouts_are_those_of_src) {
    const owned_md any = make_md(SIZES, jitnorm_bf16, jitnorm_format_tag_any),
                   swapped = make_md(SIZES, jitnorm_f32, jitnorm_bac),
                   decided = make_md(SIZES, jitnorm_bf16, jitnorm_bac);
    const owned_attr attr = with_residual(any, any);
    const owned_pd pd = forward_request{jitnorm_forward_training, swapped, data}.make(0, attr);
    for (const int arg : {JITNORM_ARG_SRC_1, JITNORM_ARG_DST_1}) {
        const auto *md = jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, arg);
        EXPECT_TRUE(jitnorm_memory_desc_equal(md, decided));
    }
    const_jitnorm_primitive_attr_t kept = nullptr;
    const_jitnorm_memory_desc_t residual = nullptr, sum = nullptr;
    EXPECT_OK(jitnorm_primitive_desc_get_attr(pd, &kept));
    EXPECT_OK(jitnorm_primitive_attr_get_residual(kept, &residual, &sum, nullptr, nullptr));
    EXPECT_TRUE(jitnorm_memory_desc_equal(residual, decided));
    EXPECT_TRUE(jitnorm_memory_desc_equal(sum, decided));
}

TEST_F(residual_attribute, tensors_are_counted_and_described) {
    const owned_pd all = forward(with_residual(data, half, jitnorm_f16)), none = forward(nullptr);
    const auto number = [](const owned_pd &pd, jitnorm_query_t what) {
        return jitnorm_primitive_desc_query_s32(pd, what, 0);
    };
    EXPECT_EQ(number(all, jitnorm_query_num_of_inputs_s32), number(none, jitnorm_query_num_of_inputs_s32) + 2);
    EXPECT_EQ(number(all, jitnorm_query_num_of_outputs_s32), number(none, jitnorm_query_num_of_outputs_s32) + 1);
    const auto described = [&](const owned_pd &pd, int arg) {
        return jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, arg);
    };
    const owned_md bias = make_md({24}, jitnorm_f16);
    EXPECT_TRUE(jitnorm_memory_desc_equal(described(all, JITNORM_ARG_BIAS), bias));
    for (const int arg : {JITNORM_ARG_SRC_1, JITNORM_ARG_DST_1, JITNORM_ARG_BIAS, JITNORM_ARG_DIFF_DST_1})
        EXPECT_EQ(ndims_of(described(none, arg)), 0);
    const owned_pd without = backward(with_residual(data, nullptr)), with = backward(with_residual(data, half));
    EXPECT_EQ(ndims_of(described(without, JITNORM_ARG_DIFF_DST_1)), 0);
    EXPECT_TRUE(jitnorm_memory_desc_equal(described(with, JITNORM_ARG_DIFF_DST_1), half));
}

// ---------------------------------------------------------------- run-time sizes

constexpr size_t ROWS = 6, COLUMNS = 24;

std::vector<float> numbers(size_t count, unsigned salt) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = float((i * 37 + salt * 101) % 97) / 16.f - 3.f;
    return values;
}

TEST_F(residual_attribute, sizes_that_come_at_execution) {
    constexpr jitnorm_dim_t R = JITNORM_RUNTIME_DIM_VAL;
    const owned_md open = make_md({R, R, R}, jitnorm_f32, dims{R, R, R}),
                   open_half = make_md({R, R, R}, jitnorm_bf16, dims{R, R, R});
    const owned_attr early = with_residual(data, half, jitnorm_f32), late = with_residual(open, open_half, jitnorm_f32);
    const owned_pd pd = forward_request{jitnorm_forward_training, open, open}.make(jitnorm_use_scale, late);
    execution known(forward(early)), found(pd, forward(early));
    for (execution *run : {&known, &found}) {
        run->set(JITNORM_ARG_SRC, numbers(ROWS * COLUMNS, 1));
        run->set(JITNORM_ARG_SRC_1, numbers(ROWS * COLUMNS, 2));
        run->set(JITNORM_ARG_BIAS, numbers(COLUMNS, 3));
        run->set(JITNORM_ARG_SCALE, numbers(COLUMNS, 4));
        EXPECT_OK(run->run());
    }
    EXPECT_EQ(found.get(JITNORM_ARG_DST), known.get(JITNORM_ARG_DST));
    EXPECT_EQ(found.get<uint16_t>(JITNORM_ARG_DST_1), known.get<uint16_t>(JITNORM_ARG_DST_1));
    const owned_md more = make_md({2, 4, 24}, jitnorm_f32);
    const owned_memory other = make_memory(more, JITNORM_MEMORY_ALLOCATE);
    auto list = found.args();
    for (auto &entry : list)
        if (entry.arg == JITNORM_ARG_SRC_1) entry.memory = other;
    EXPECT_EQ(found.run(list), INVALID) << "other sizes than src's";
}

// ---------------------------------------------------------------- C++

TEST(residual_attribute_in_cpp, is_that_of_c) {
    using namespace jitnorm;
    const memory::desc md({2, 8}, memory::data_type::f32, memory::format_tag::ab);
    primitive_attr attr;
    memory::desc residual, sum;
    memory::data_type bias = memory::data_type::f32;
    residual_flags flags = residual_flags::normalize_rounded;
    attr.set_residual(md);
    attr.get_residual(residual, sum, bias, flags);
    EXPECT_TRUE(residual == md);
    EXPECT_TRUE(sum.is_zero());
    EXPECT_EQ(bias, memory::data_type::undef);
    EXPECT_EQ(flags, residual_flags::none);
    attr.set_residual(md, md, memory::data_type::bf16, residual_flags::normalize_rounded);
    attr.get_residual(residual, sum, bias, flags);
    EXPECT_TRUE(sum == md);
    EXPECT_EQ(bias, memory::data_type::bf16);
    EXPECT_EQ(flags, residual_flags::normalize_rounded);
    EXPECT_THROW(attr.set_residual(memory::desc()), jitnorm::error);
}

} // namespace
