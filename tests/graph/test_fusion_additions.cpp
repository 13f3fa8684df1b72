// SPDX-License-Identifier: Apache-2.0
// An addition before a normalization, in one partition: the bits of the sum and of the normalization one by one; in
// narrow types the sum is rounded where it is kept and is not where nobody else reads it.
#include <algorithm>
#include <cmath>

#include "fused_run.hpp"

namespace jitnorm::tests {
namespace {

constexpr size_t X1 = 1, X2 = 2, SUM = 10, GAMMA = 11;

struct added_case {
    op::kind norm = RMSNorm;
    shape dims = {3, 33}, other_dims = {3, 33};
    jitnorm_data_type_t type = jitnorm_f32, other_type = jitnorm_f32;
    bool is_kept = true, is_swapped = false; // the smaller operand comes first
    std::vector<link> links = {};
    jitnorm_data_type_t dst_type = jitnorm_f32;
    std::string layout = "dense";

    // What the addition gives.
    jitnorm_data_type_t sum_type() const { return type == other_type ? type : jitnorm_f32; }
};

float value_of(float value, jitnorm_data_type_t type) {
    return float(graph_tensor(1, {1}, type).filled({double(value)}).data.values()[0]);
}

struct execution {
    added_case c;
    graph_tensor x1, x2, gamma, sum, dst;
    std::vector<op> ops;

    explicit execution(const added_case &what)
        : c(what), x1(graph_tensor(X1, c.dims, c.type, c.layout).filled(random_values(count(c.dims), 0.5, 1, 1))),
          x2(graph_tensor(X2, c.other_dims, c.other_type, c.other_dims.empty() ? "dense" : c.layout)
                 .filled(random_values(count(c.other_dims), 1, 2, 2))),
          gamma(graph_tensor(GAMMA, {c.dims.back()}, jitnorm_f32).filled(random_values(c.dims.back(), 1, 0.5, 3))),
          sum(SUM, c.dims, c.sum_type(), c.layout), dst(FIRST_RESULT + c.links.size(), c.dims, c.dst_type, c.layout) {
        ops = fused_graph{c.norm, {unknown(SUM, c.sum_type()), gamma.described}, c.links, set_epsilon, {}}.ops();
        std::vector<logical_tensor> operands = {x1.described, x2.described};
        if (c.is_swapped) std::swap(operands[0], operands[1]);
        ops.emplace_back(90, Add, operands, std::vector<logical_tensor>{unknown(SUM, c.sum_type())}, "add");
        if (c.is_kept)
            ops.emplace_back(91, End, std::vector<logical_tensor>{unknown(SUM, c.sum_type())},
                             std::vector<logical_tensor>{}, "kept");
    }

    graph::partition partition() const {
        const auto partitions = partitions_of(ops);
        EXPECT_EQ(partitions[0].get_ops_num(), c.links.size() + 2);
        return partitions[0];
    }
    graph::compiled_partition compile() const {
        return partition().compile({x1.described, x2.described, gamma.described}, {sum.described, dst.described},
                                   engine(engine::kind::cpu, 0));
    }
    void run() const {
        std::vector<const graph_tensor *> outputs = {&dst};
        if (c.is_kept) outputs.push_back(&sum);
        execute_partition(partition(), {&x1, &x2, &gamma}, outputs);
    }

    std::vector<double> sums() const {
        std::vector<double> result = x1.data.values();
        const std::vector<double> others = broadcast(x2.data.values(), c.other_dims, c.dims);
        for (size_t i = 0; i < result.size(); ++i) {
            const float added = float(result[i]) + float(others[i]);
            result[i] = double(c.is_kept ? value_of(added, c.sum_type()) : added);
        }
        return result;
    }
};

// The sum in a plain loop, then the normalization alone, in f32; the result rounded.
void expect_steps(const added_case &c) {
    execution e(c);
    e.run();
    const std::vector<double> sums = e.sums();
    if (c.is_kept) {
        EXPECT_EQ(e.sum.data.values(), sums);
    }
    const floats normalized = normalized_alone(c.norm, sums, c.dims, {nullptr, &e.gamma});
    expect_equal(as_floats(e.dst.data.values()), rounded(normalized, c.dst_type));
}

TEST(fusion_additions, have_the_bits_of_their_steps) {
    for (const op::kind norm : {LayerNorm, RMSNorm})
        for (const shape &dims : SHAPES)
            for (const bool is_kept : {true, false})
                for (const char *layout : {"dense", "reversed", "gap"}) {
                    added_case c{norm, dims, dims};
                    c.is_kept = is_kept;
                    c.layout = layout;
                    expect_steps(c);
                }
}

TEST(fusion_additions, of_narrow_types) {
    for (const auto narrow : {jitnorm_bf16, jitnorm_f16})
        for (const bool is_kept : {true, false})
            for (const shape &dims : SHAPES) {
                added_case c{RMSNorm, dims, dims, narrow, narrow, is_kept};
                c.dst_type = narrow;
                expect_steps(c);
                c.norm = LayerNorm;
                expect_steps(c);
                c.other_type = jitnorm_f32; // with which the sum is f32
                c.dst_type = jitnorm_f32;
                expect_steps(c);
            }
}

TEST(fusion_additions, of_what_is_broadcast) {
    for (const shape &other : {shape{4, 33}, {33}, {1}, {}, {2, 1, 33}, {1, 4, 1}, {2, 4, 1}})
        for (const bool is_swapped : {false, true}) {
            added_case c{LayerNorm, {2, 4, 33}, other};
            c.is_swapped = is_swapped;
            expect_steps(c);
        }
}

TEST(fusion_additions, with_operations_behind) {
    added_case c{RMSNorm, {5, 70}, {5, 70}, jitnorm_bf16, jitnorm_bf16, true, false};
    c.links = {{TypeCast, jitnorm_f32}, quantize(0.125F, jitnorm_s8, {3})};
    c.dst_type = jitnorm_s8;
    execution e(c);
    e.run();
    floats expected = normalized_alone(RMSNorm, e.sums(), c.dims, {nullptr, &e.gamma});
    for (float &y : expected) y = std::clamp(std::nearbyint(y * 8 + 3), -128.0F, 127.0F);
    expect_equal(as_floats(e.dst.data.values()), expected);
}

TEST(fusion_additions, in_place) {
    using pairs = std::vector<std::pair<size_t, size_t>>;
    const added_case plain;
    const execution e(plain);
    EXPECT_EQ(e.compile().get_inplace_ports(), (pairs{{X1, FIRST_RESULT}, {X2, SUM}}));
    added_case alone;
    alone.is_kept = false;
    EXPECT_EQ(execution(alone).compile().get_inplace_ports(), (pairs{{X1, FIRST_RESULT}}));

    execution apart(plain), together(plain);
    apart.run();
    const engine cpu(engine::kind::cpu, 0);
    stream where(cpu);
    const graph::tensor x1 = together.x1.on(cpu), x2 = together.x2.on(cpu), gamma = together.gamma.on(cpu);
    const graph::tensor sum(together.sum.described, cpu, together.x2.data.data()),
        dst(together.dst.described, cpu, together.x1.data.data());
    together.compile().execute(where, {x1, x2, gamma}, {sum, dst});
    EXPECT_EQ(together.x2.data.values(), apart.sum.data.values());
    EXPECT_EQ(together.x1.data.values(), apart.dst.data.values());
    const graph::tensor at_the_other(together.sum.described, cpu, together.x1.data.data());
    EXPECT_THROW(together.compile().execute(where, {x1, x2, gamma}, {at_the_other, together.dst.on(cpu)}), error);
}

TEST(fusion_additions, refusals) {
    const execution e(added_case{});
    const auto compile = [&](const logical_tensor &x1, const logical_tensor &x2, const logical_tensor &sum,
                             const logical_tensor &dst) {
        partitions_of(e.ops).at(0).compile({x1, x2, e.gamma.described}, {sum, dst}, engine(engine::kind::cpu, 0));
    };
    const auto refusal = [&](const logical_tensor &x2, const logical_tensor &sum) {
        return status_of([&] { compile(e.x1.described, x2, sum, e.dst.described); });
    };
    EXPECT_NO_THROW(compile(dense(X1, {33}), dense(X2, {33}), dense(SUM, {33}), dense(FIRST_RESULT, {33})));
    const logical_tensor x2 = dense(X2, {3, 33}), sum = dense(SUM, {3, 33});
    EXPECT_EQ(refusal(x2, sum), jitnorm_success);
    EXPECT_EQ(refusal(x2, unknown(SUM)), jitnorm_invalid_arguments); // neither any nor strided
    EXPECT_EQ(refusal(dense(9, {3, 33}), sum), jitnorm_invalid_arguments);
    EXPECT_EQ(refusal(x2, dense(9, {3, 33})), jitnorm_invalid_arguments);
    EXPECT_EQ(refusal(dense(X2, {3, 33}, jitnorm_bf16), sum), jitnorm_invalid_data_type);
    EXPECT_EQ(refusal(x2, dense(SUM, {3, 33}, jitnorm_bf16)), jitnorm_invalid_data_type);
    EXPECT_EQ(refusal(dense(X2, {3, 32}), sum), jitnorm_invalid_shape);
    EXPECT_EQ(refusal(dense(X2, {1, 3, 33}), sum), jitnorm_invalid_shape);
    EXPECT_EQ(refusal(x2, dense(SUM, {33})), jitnorm_invalid_shape);
    const logical_tensor repeated(SUM, logical_tensor::data_type::f32, logical_tensor::dims{3, 33},
                                  logical_tensor::dims{0, 1});
    EXPECT_EQ(refusal(x2, repeated), jitnorm_invalid_arguments);
}

} // namespace
} // namespace jitnorm::tests
