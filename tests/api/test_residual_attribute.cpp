// SPDX-License-Identifier: Apache-2.0
// The residual addition through the C and C++ interfaces: what is put in comes out, what is computed, each misuse.
#include "jitnorm/jitnorm.hpp"
#include "rig/execution.hpp"
#include "rig/oracle.hpp"
#include "rig/unknown.hpp"

using namespace jitnorm::tests;

namespace {

constexpr auto INVALID = jitnorm_invalid_arguments;
constexpr auto NO_BIAS = jitnorm_data_type_undef;
constexpr size_t ROWS = 6, COLUMNS = 24;
const dims SIZES = {2, 3, 24};

owned_attr make_attr() {
    owned_attr attr;
    EXPECT_OK(jitnorm_primitive_attr_create(&attr));
    return attr;
}

owned_attr with_residual(const_jitnorm_memory_desc_t residual, const_jitnorm_memory_desc_t sum,
                         jitnorm_data_type_t bias = NO_BIAS, unsigned flags = 0) {
    owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_residual(attr, residual, sum, bias, flags));
    return attr;
}

struct residual_attribute : testing::Test {
    owned_md data = make_md(SIZES, jitnorm_f32), half = make_md(SIZES, jitnorm_bf16);

    owned_pd forward(const_jitnorm_primitive_attr_t attr, unsigned flags = jitnorm_use_scale) const {
        forward_request request{jitnorm_forward_training, data, data};
        request.flags = flags;
        request.attr = attr;
        owned_pd pd;
        EXPECT_OK(request.create(&pd));
        return pd;
    }
    owned_pd backward(const_jitnorm_primitive_attr_t attr) const {
        backward_request request{jitnorm_backward, data, data, data};
        request.attr = attr;
        owned_pd pd;
        EXPECT_OK(request.create(&pd));
        return pd;
    }
    jitnorm_status_t try_forward(const_jitnorm_primitive_attr_t attr) const {
        forward_request request{jitnorm_forward_training, data, data};
        request.attr = attr;
        owned_pd pd;
        return request.create(&pd);
    }
};

std::vector<float> numbers(size_t count, unsigned salt) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = float((i * 37 + salt * 101) % 97) / 16.f - 3.f;
    return values;
}

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
    EXPECT_OK(jitnorm_primitive_attr_set_residual(attr, data, half, jitnorm_f16, jitnorm_residual_normalize_rounded));
    owned_attr copy;
    EXPECT_OK(jitnorm_primitive_attr_clone(&copy, attr));
    for (const_jitnorm_primitive_attr_t asked : {attr.get(), copy.get()}) {
        EXPECT_OK(jitnorm_primitive_attr_get_residual(asked, &residual, &sum, &bias, &flags));
        EXPECT_TRUE(jitnorm_memory_desc_equal(residual, data));
        EXPECT_TRUE(jitnorm_memory_desc_equal(sum, half));
        EXPECT_EQ(bias, jitnorm_f16);
        EXPECT_EQ(flags, unsigned(jitnorm_residual_normalize_rounded));
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
    EXPECT_EQ(set(nullptr, data, data, NO_BIAS, 0), INVALID);
    EXPECT_EQ(set(attr, nullptr, data, NO_BIAS, 0), INVALID);
    EXPECT_EQ(set(attr, empty, data, NO_BIAS, 0), INVALID);
    EXPECT_EQ(set(attr, half, data, unknown<jitnorm_data_type_t>(77), 0), INVALID);
    EXPECT_EQ(set(attr, half, data, NO_BIAS, 2), INVALID);
    EXPECT_EQ(set(attr, half, nullptr, NO_BIAS, jitnorm_residual_normalize_rounded), INVALID);
    EXPECT_EQ(jitnorm_primitive_attr_get_residual(nullptr, nullptr, nullptr, nullptr, nullptr), INVALID);
    const_jitnorm_memory_desc_t residual = nullptr;
    EXPECT_OK(jitnorm_primitive_attr_get_residual(attr, &residual, nullptr, nullptr, nullptr));
    EXPECT_TRUE(jitnorm_memory_desc_equal(residual, data));
}

TEST_F(residual_attribute, descriptors_that_cannot_be) {
    const owned_md other = make_md({2, 3, 25}, jitnorm_f32), flat = make_md({6, 24}, jitnorm_f32),
                   repeated = make_md(SIZES, jitnorm_f32, dims{0, 24, 1}), words = make_md(SIZES, jitnorm_s32);
    EXPECT_EQ(try_forward(with_residual(other, nullptr)), INVALID);
    EXPECT_EQ(try_forward(with_residual(flat, nullptr)), INVALID);
    EXPECT_EQ(try_forward(with_residual(data, other)), INVALID);
    EXPECT_EQ(try_forward(with_residual(data, repeated)), INVALID) << "an output";
    EXPECT_EQ(try_forward(with_residual(repeated, data)), jitnorm_success) << "an input";
    EXPECT_EQ(try_forward(with_residual(words, data)), jitnorm_unimplemented);
    EXPECT_EQ(try_forward(with_residual(data, words)), jitnorm_unimplemented);
    EXPECT_EQ(try_forward(with_residual(data, data, jitnorm_s8)), jitnorm_unimplemented);
    EXPECT_EQ(try_forward(with_residual(data, data, jitnorm_f64)), jitnorm_unimplemented);
    const owned_attr gradient = with_residual(data, other);
    backward_request request{jitnorm_backward, data, data, data};
    request.attr = gradient;
    owned_pd pd;
    EXPECT_EQ(request.create(&pd), INVALID);
}

TEST_F(residual_attribute, undecided_layouts_are_those_of_src) {
    const owned_md any = make_md(SIZES, jitnorm_bf16, jitnorm_format_tag_any),
                   swapped = make_md(SIZES, jitnorm_f32, jitnorm_bac),
                   decided = make_md(SIZES, jitnorm_bf16, jitnorm_bac);
    const owned_attr attr = with_residual(any, any);
    forward_request request{jitnorm_forward_training, swapped, data};
    request.attr = attr;
    owned_pd pd;
    ASSERT_OK(request.create(&pd));
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

// ---------------------------------------------------------------- executions

TEST_F(residual_attribute, what_is_computed) {
    for (const char *implementation : {"", "ref:any", "jit:avx2"}) {
        ASSERT_OK(jitnorm_set_implementation(implementation));
        for (const unsigned flags : {unsigned(jitnorm_use_scale), unsigned(jitnorm_rms_norm | jitnorm_use_scale)}) {
            execution run(forward(with_residual(data, data, jitnorm_f32), flags));
            const auto src = numbers(ROWS * COLUMNS, 1), residual = numbers(ROWS * COLUMNS, 2);
            const auto bias = numbers(COLUMNS, 3), scale = numbers(COLUMNS, 4);
            run.set(JITNORM_ARG_SRC, src);
            run.set(JITNORM_ARG_SRC_1, residual);
            run.set(JITNORM_ARG_BIAS, bias);
            run.set(JITNORM_ARG_SCALE, scale);
            oracle_problem<double> question;
            question.rows = ROWS;
            question.columns = COLUMNS;
            question.epsilon = double(1e-5f);
            question.rms = (flags & jitnorm_rms_norm) != 0;
            question.scale.assign(scale.begin(), scale.end());
            for (size_t i = 0; i < src.size(); ++i)
                question.src.push_back(double(src[i]) + double(residual[i]) + double(bias[i % COLUMNS]));
            EXPECT_OK(run.run());
            const auto expected = oracle_forward(question);
            const auto dst = run.get(JITNORM_ARG_DST), sum = run.get(JITNORM_ARG_DST_1);
            EXPECT_LE(normalized_error(dst.data(), expected.dst.data(), dst.size()), 1e-6);
            EXPECT_LE(normalized_error(sum.data(), question.src.data(), sum.size()), 1e-7);
        }
    }
    ASSERT_OK(jitnorm_set_implementation(nullptr));
}

TEST_F(residual_attribute, the_gradient_has_two_sources) {
    execution run(backward(with_residual(data, data))), alone(backward(nullptr));
    const auto other = numbers(ROWS * COLUMNS, 5);
    run.set(JITNORM_ARG_DIFF_DST_1, other);
    for (execution *e : {&run, &alone}) {
        e->set(JITNORM_ARG_SRC, numbers(ROWS * COLUMNS, 1));
        e->set(JITNORM_ARG_DIFF_DST, numbers(ROWS * COLUMNS, 2));
        EXPECT_OK(e->run());
    }
    auto expected = alone.get(JITNORM_ARG_DIFF_SRC);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] += other[i];
    EXPECT_EQ(run.get(JITNORM_ARG_DIFF_SRC), expected);
}

void share(execution &run, int output, int with) {
    EXPECT_OK(jitnorm_memory_set_data_handle(run.tensors().at(output).memory, run.data<void>(with)));
}

TEST_F(residual_attribute, in_place) {
    const owned_attr attr = with_residual(data, data);
    execution apart(forward(attr)), together(forward(attr));
    share(together, JITNORM_ARG_DST, JITNORM_ARG_SRC);
    share(together, JITNORM_ARG_DST_1, JITNORM_ARG_SRC_1);
    for (execution *run : {&apart, &together}) {
        run->set(JITNORM_ARG_SRC, numbers(ROWS * COLUMNS, 1));
        run->set(JITNORM_ARG_SRC_1, numbers(ROWS * COLUMNS, 2));
        EXPECT_OK(run->run());
    }
    EXPECT_EQ(together.get(JITNORM_ARG_SRC), apart.get(JITNORM_ARG_DST));
    EXPECT_EQ(together.get(JITNORM_ARG_SRC_1), apart.get(JITNORM_ARG_DST_1));
}

TEST_F(residual_attribute, forbidden_places) {
    struct place {
        int output, other;
    };
    const owned_attr attr = with_residual(data, data, jitnorm_f32), mixed = with_residual(half, data);
    for (const place p : {place{JITNORM_ARG_DST, JITNORM_ARG_DST_1},
                          {JITNORM_ARG_DST, JITNORM_ARG_SRC_1},
                          {JITNORM_ARG_DST_1, JITNORM_ARG_SRC},
                          {JITNORM_ARG_DST_1, JITNORM_ARG_BIAS}}) {
        execution run(forward(attr));
        share(run, p.output, p.other);
        EXPECT_EQ(run.run(), INVALID) << p.output << " at " << p.other;
    }
    execution run(forward(mixed));
    share(run, JITNORM_ARG_DST_1, JITNORM_ARG_SRC_1);
    EXPECT_EQ(run.run(), INVALID) << "another type";
    execution gradients(backward(attr));
    share(gradients, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST_1);
    EXPECT_OK(gradients.run());
}

TEST_F(residual_attribute, argument_lists) {
    for (const bool is_forward : {true, false}) {
        const owned_attr attr = with_residual(data, half, jitnorm_f16);
        const execution run(is_forward ? forward(attr) : backward(attr));
        const auto list = run.args();
        for (size_t i = 0; i < list.size(); ++i) {
            auto less = list, more = list;
            less.erase(less.begin() + std::ptrdiff_t(i));
            more.push_back(list[i]);
            EXPECT_EQ(run.run(less), INVALID) << list[i].arg;
            EXPECT_EQ(run.run(more), INVALID) << list[i].arg;
        }
        auto foreign = list;
        foreign.push_back({is_forward ? JITNORM_ARG_DIFF_DST_1 : JITNORM_ARG_SRC_1, list.front().memory});
        EXPECT_EQ(run.run(foreign), INVALID);
        EXPECT_TRUE(run.is_untouched());
    }
}

TEST_F(residual_attribute, empty_tensors_succeed) {
    for (const dims &sizes : {dims{0, 24}, dims{3, 0}}) {
        const owned_md md = make_md(sizes, jitnorm_f32);
        const owned_attr attr = with_residual(md, md, jitnorm_f32);
        forward_request request{jitnorm_forward_training, md, md};
        request.attr = attr;
        owned_pd pd;
        ASSERT_OK(request.create(&pd));
        EXPECT_OK(execution(pd).run());
    }
}

TEST_F(residual_attribute, sizes_that_come_at_execution) {
    constexpr jitnorm_dim_t R = JITNORM_RUNTIME_DIM_VAL;
    const owned_md open = make_md({R, R, R}, jitnorm_f32, dims{R, R, R}),
                   open_half = make_md({R, R, R}, jitnorm_bf16, dims{R, R, R});
    const owned_attr early = with_residual(data, half, jitnorm_f32), late = with_residual(open, open_half, jitnorm_f32);
    forward_request request{jitnorm_forward_training, open, open};
    request.flags = jitnorm_use_scale;
    request.attr = late;
    owned_pd pd;
    ASSERT_OK(request.create(&pd));
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
