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
