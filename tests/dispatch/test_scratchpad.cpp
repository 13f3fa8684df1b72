// SPDX-License-Identifier: Apache-2.0
// How much scratchpad problems need: the bounds of docs/embedding.md, on kernels.
#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>

#include "dispatch/prepare.hpp"
#include "run/implementations.hpp"
#include "support/run.hpp"

namespace jitnorm::tests {
namespace {

// The implementations on kernels that take the problem.
std::vector<const implementation *> takers(const problem &p) {
    std::vector<const implementation *> all;
    for (const implementation &entry : impl::layer_norm::on_kernels)
        if (entry.refusal(p).empty()) all.push_back(&entry);
    return all;
}

TEST(scratchpad, of_backward_is_bounded) {
    constexpr size_t MIB = 1 << 20;
    for (const auto type : {jitnorm_bf16, jitnorm_f32, jitnorm_f64})
        for (const dim_t rows : {1, 7, 64, 512, 30000, 10'000'000})
            for (const dim_t C : {1, 64, 1024, 4096, 4097, 16384, 16385, 65536, 131072, 131073, 1'000'000})
                for (const std::vector<dim_t> &strides : {std::vector<dim_t>{C, 1}, {1, rows}}) {
                    const dim_t dims[] = {rows, C};
                    problem p = make_problem(setup{.kind = jitnorm_backward});
                    ASSERT_EQ(impl::make_with_strides(p[SRC], 2, dims, type, strides.data()), jitnorm_success);
                    p[DIFF_SRC] = p[DIFF_DST] = p[SRC];
                    p[VARIANCE] = dense({rows});
                    const size_t fixed = type == jitnorm_f64 ? 96 * MIB : 64 * MIB;
                    const size_t bound = fixed + (C > 4096 ? impl::bytes(p[SRC]) / 256 : 0);
                    for (const implementation *by : takers(p))
                        EXPECT_LE(scratchpad_bytes(*by, p), bound) << describe(p);
                }
}

// Dense rows need none, unless several threads share the chunks of a few long ones.
TEST(scratchpad, of_dense_forward_is_none_but_for_few_long_rows) {
    for (const auto type : {jitnorm_bf16, jitnorm_f32, jitnorm_f64})
        for (const auto &[rows, C, needs] : {std::tuple<dim_t, dim_t, bool>{1, 4096, false},
                                             {10'000, 768, false},
                                             {64, 1'000'000, false},
                                             {63, 1'000'000, true},
                                             {1, 1'000'000, true}}) {
            problem p = make_problem(setup{});
            p[SRC] = p[DST] = dense({rows, C}, type);
            p[VARIANCE] = dense({rows});
            for (const implementation *by : takers(p)) EXPECT_EQ(scratchpad_bytes(*by, p) != 0, needs) << describe(p);
        }
}

// Where the user's is too small for the chunks of an execution's long rows, its threads share rows.
TEST(scratchpad, is_not_asked_for_more_by_the_sizes_of_an_execution) {
    problem p = make_problem(setup{});
    p[SRC] = p[DST] = dense({1, 1'000'000});
    p[VARIANCE] = dense({1});
    for (const implementation *by : takers(p)) {
        const impl::layer_norm::solution chosen = {by, {}};
        const size_t bytes = plan_for_sizes(chosen, p, SIZE_MAX).scratchpad.bytes();
        ASSERT_GT(bytes, 0u) << describe(p);
        EXPECT_GT(plan_for_sizes(chosen, p, bytes).chunk_threads, 0);
        EXPECT_EQ(plan_for_sizes(chosen, p, bytes - 1).chunk_threads, 0);
        EXPECT_EQ(plan_for_sizes(chosen, p, bytes - 1).scratchpad.bytes(), 0u);
    }
}

// What the user of a primitive for all sizes is asked for, and that it is enough.
TEST(scratchpad, of_forward_with_runtime_sizes_is_bounded) {
    constexpr size_t MIB = 1 << 20, BETWEEN_ROWS = MIB;
    for (const char *layout : {"dense", "ba"})
        for (const auto operand : {jitnorm_data_type_undef, jitnorm_s8, jitnorm_bf16, jitnorm_f32, jitnorm_f64}) {
            setup s{.dims = {70, 5000}, .src = layout, .dst = layout};
            const bool has_operand = operand != jitnorm_data_type_undef;
            if (has_operand)
                s.attr.post_ops.entries = {
                    impl::binary_post_op{jitnorm_binary_add, make_layout("ba", s.dims, operand)}};
            const size_t tiles = has_operand || s.src != "dense" ? 18 * MIB : 0;
            const size_t operands = has_operand ? 8 * MIB * impl::size_of(operand) + BETWEEN_ROWS : 0;
            problem open = with_runtime_sizes(make_problem(s));
            if (s.src == "dense") open[SRC].strides[1] = open[DST].strides[1] = 1;
            for (const implementation *by : takers(open)) {
                EXPECT_LE(scratchpad_bytes(*by, open), tiles + operands) << describe(open);
                plan how = plan_of(*by, make_problem(s));
                how.give_up_chunks();
                EXPECT_LE(how.scratchpad.bytes(), scratchpad_bytes(*by, open)) << describe(open);
            }
        }
}

TEST(scratchpad, of_forward_with_runtime_sizes_serves_every_machine) {
    constexpr impl::machine roomy = {.last_level = dim_t(1) << 40},
                            from_memory = {.last_level = 1 << 20, .prefetch = 2};
    for (const char *layout : {"dense", "@ba"})
        for (const bool added : {false, true})
            for (const dim_t columns : {64, 1000, 1025, 4096, 8192, 16384}) {
                setup s{.dims = {30000, columns}, .src = layout, .dst = layout};
                if (added) s.residual = {.added = layout, .sum = "", .type = jitnorm_f32, .sum_type = jitnorm_f32};
                const problem p = make_problem(s);
                problem open = with_runtime_sizes(p);
                if (s.src == "dense") open.for_each_descriptor([](auto &md) { md.strides[md.ndims - 1] = 1; });
                for (const implementation *by : takers(open))
                    for (const impl::machine &m : {roomy, from_memory}) {
                        plan how = plan_of(*by, p, m);
                        how.give_up_chunks();
                        EXPECT_LE(how.scratchpad.bytes(), scratchpad_bytes(*by, open)) << describe(p);
                    }
            }
}

} // namespace
} // namespace jitnorm::tests
