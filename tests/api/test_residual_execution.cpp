// SPDX-License-Identifier: Apache-2.0
// Normalizations with a residual through the C interface: what is computed, in which places, and what is refused.
#include "residual_model.hpp"

using namespace jitnorm::tests;

namespace {

constexpr auto INVALID = jitnorm_invalid_arguments;
constexpr size_t ROWS = 6, COLUMNS = 24;

class residual_execution : public residual_model {};

std::vector<float> numbers(size_t count, unsigned salt) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = float((i * 37 + salt * 101) % 97) / 16.f - 3.f;
    return values;
}

TEST_F(residual_execution, what_is_computed) {
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
            EXPECT_OK(run.run());
            auto sum = src; // whose additions are exact
            for (size_t i = 0; i < sum.size(); ++i) sum[i] += residual[i] + bias[i % COLUMNS];
            EXPECT_EQ(run.get(JITNORM_ARG_DST_1), sum);
            execution plain(forward(nullptr, flags));
            plain.set(JITNORM_ARG_SRC, sum);
            plain.set(JITNORM_ARG_SCALE, scale);
            EXPECT_OK(plain.run());
            EXPECT_EQ(run.get(JITNORM_ARG_DST), plain.get(JITNORM_ARG_DST));
        }
    }
    ASSERT_OK(jitnorm_set_implementation(nullptr));
}

TEST_F(residual_execution, the_gradient_has_two_sources) {
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

TEST_F(residual_execution, in_place) {
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

TEST_F(residual_execution, forbidden_places) {
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
    execution gradients(backward(attr)), of_two_types(backward(with_residual(data, half)));
    share(gradients, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST_1);
    EXPECT_OK(gradients.run());
    share(of_two_types, JITNORM_ARG_DIFF_DST_1, JITNORM_ARG_DIFF_SRC); // whose buffer is the larger one
    EXPECT_EQ(of_two_types.run(), INVALID) << "another type";
}

TEST_F(residual_execution, argument_lists) {
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

TEST_F(residual_execution, empty_tensors_succeed) {
    for (const dims &sizes : {dims{0, 24}, dims{3, 0}}) {
        const owned_md md = make_md(sizes, jitnorm_f32);
        const owned_attr attr = with_residual(md, md, jitnorm_f32);
        const owned_pd pd = forward_request{jitnorm_forward_training, md, md}.make(0, attr);
        EXPECT_OK(execution(pd).run());
    }
}

TEST_F(residual_execution, sizes_that_come_at_execution) {
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

} // namespace
