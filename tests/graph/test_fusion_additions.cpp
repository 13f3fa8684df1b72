// SPDX-License-Identifier: Apache-2.0
// An addition before a normalization, in one partition: the bits of the sum and of the normalization one by one; in
// narrow types the sum is rounded where it is kept and is not where nobody else reads it.
#include <algorithm>
#include <cmath>

#include "fused_run.hpp"

namespace jitnorm::tests {
namespace {

graph::compiled_partition compiled(const fused_execution &e) {
    return e.partition().compile(descriptions_of({&e.src, &e.added, &e.gamma}), descriptions_of({&e.sum, &e.dst}),
                                 engine(engine::kind::cpu, 0));
}

// The sum in a plain loop, then the normalization of it, in f32; the result rounded.
void expect_steps(const fused_case &c) {
    expect_bits_of(c, [](float y, float) { return y; });
}

TEST(fusion_additions, have_the_bits_of_their_steps) {
    for (const op::kind norm : {LayerNorm, RMSNorm})
        for (const shape &dims : SHAPES)
            for (const bool is_kept : {true, false})
                for (const char *layout : {"dense", "reversed", "gap"})
                    expect_steps(
                        {.norm = norm, .dims = dims, .layout = layout, .added = addition{dims, jitnorm_f32, is_kept}});
}

TEST(fusion_additions, of_narrow_types) {
    for (const auto narrow : {jitnorm_bf16, jitnorm_f16})
        for (const bool is_kept : {true, false})
            for (const shape &dims : SHAPES) {
                fused_case c{RMSNorm, dims, narrow, {}, narrow};
                c.added = addition{dims, narrow, is_kept};
                expect_steps(c);
                c.norm = LayerNorm;
                expect_steps(c);
                c.added->type = jitnorm_f32; // with which the sum is f32
                c.dst_type = jitnorm_f32;
                expect_steps(c);
            }
}

TEST(fusion_additions, of_what_is_broadcast) {
    for (const shape &other : {shape{4, 33}, {33}, {1}, {}, {2, 1, 33}, {1, 4, 1}, {2, 4, 1}})
        for (const bool is_swapped : {false, true})
            expect_steps({.dims = {2, 4, 33}, .added = addition{other, jitnorm_f32, true, is_swapped}});
}

TEST(fusion_additions, with_operations_after) {
    const std::vector<link> links = {{TypeCast, jitnorm_f32}, quantize(0.125F, jitnorm_s8, {3})};
    fused_case c{RMSNorm, {5, 70}, jitnorm_bf16, links, jitnorm_s8};
    c.added = addition{c.dims, jitnorm_bf16};
    expect_bits_of(c, [](float y, float) { return std::clamp(std::nearbyint(y * 8 + 3), -128.0F, 127.0F); });
}

const fused_case PLAIN = {.norm = RMSNorm, .dims = {3, 33}, .added = addition{{3, 33}}};

TEST(fusion_additions, in_place) {
    using pairs = std::vector<std::pair<size_t, size_t>>;
    const fused_execution apart(PLAIN), together(PLAIN);
    EXPECT_EQ(compiled(apart).get_inplace_ports(), (pairs{{X1_ID, FIRST_RESULT}, {X2_ID, SRC_ID}}));
    fused_case alone = PLAIN;
    alone.added->is_kept = false;
    EXPECT_EQ(compiled(fused_execution(alone)).get_inplace_ports(), (pairs{{X1_ID, FIRST_RESULT}}));

    apart.run();
    const engine cpu(engine::kind::cpu, 0);
    stream where(cpu);
    const std::vector<graph::tensor> inputs = {together.src.on(cpu), together.added.on(cpu), together.gamma.on(cpu)};
    const auto run = [&](const graph_tensor &at_sum, const graph_tensor &at_dst) {
        compiled(together).execute(where, inputs,
                                   {graph::tensor(together.sum.described, cpu, at_sum.data.data()),
                                    graph::tensor(together.dst.described, cpu, at_dst.data.data())});
    };
    run(together.added, together.src);
    EXPECT_EQ(together.added.data.values(), apart.sum.data.values());
    EXPECT_EQ(together.src.data.values(), apart.dst.data.values());
    EXPECT_THROW(run(together.src, together.dst), error);
}

TEST(fusion_additions, refusals) {
    const fused_execution e(PLAIN);
    const auto compile = [&](const logical_tensor &x1, const logical_tensor &x2, const logical_tensor &sum,
                             const logical_tensor &dst) {
        e.partition().compile({x1, x2, e.gamma.described}, {sum, dst}, engine(engine::kind::cpu, 0));
    };
    const auto refusal = [&](const logical_tensor &x2, const logical_tensor &sum) {
        return status_of([&] { compile(e.src.described, x2, sum, e.dst.described); });
    };
    EXPECT_NO_THROW(compile(dense(X1_ID, {33}), dense(X2_ID, {33}), dense(SRC_ID, {33}), dense(FIRST_RESULT, {33})));
    const logical_tensor x2 = dense(X2_ID, {3, 33}), sum = dense(SRC_ID, {3, 33});
    EXPECT_EQ(refusal(x2, sum), jitnorm_success);
    EXPECT_EQ(refusal(x2, unknown(SRC_ID)), jitnorm_invalid_arguments); // neither any nor strided
    EXPECT_EQ(refusal(dense(9, {3, 33}), sum), jitnorm_invalid_arguments);
    EXPECT_EQ(refusal(x2, dense(9, {3, 33})), jitnorm_invalid_arguments);
    EXPECT_EQ(refusal(dense(X2_ID, {3, 33}, jitnorm_bf16), sum), jitnorm_invalid_data_type);
    EXPECT_EQ(refusal(x2, dense(SRC_ID, {3, 33}, jitnorm_bf16)), jitnorm_invalid_data_type);
    EXPECT_EQ(refusal(dense(X2_ID, {3, 32}), sum), jitnorm_invalid_shape);
    EXPECT_EQ(refusal(dense(X2_ID, {1, 3, 33}), sum), jitnorm_invalid_shape);
    EXPECT_EQ(refusal(x2, dense(SRC_ID, {33})), jitnorm_invalid_shape);
    const logical_tensor repeated(SRC_ID, logical_tensor::data_type::f32, logical_tensor::dims{3, 33},
                                  logical_tensor::dims{0, 1});
    EXPECT_EQ(refusal(x2, repeated), jitnorm_invalid_arguments);
}

} // namespace
} // namespace jitnorm::tests
