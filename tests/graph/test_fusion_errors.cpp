// SPDX-License-Identifier: Apache-2.0
// Fused partitions: refusals of the tensors that operations after a normalization read, at compilation and at
// execution, and the tensors that may share memory.
#include "fused_graph.hpp"

namespace jitnorm::tests {
namespace {

using enum op::kind;

constexpr size_t SRC_ID = 10, OTHER_ID = 20, DST_ID = FIRST_RESULT + 1;

// An addition is a shift, and the other one a post-op.
constexpr op::kind KINDS[] = {Add, Maximum};

struct combined {
    engine cpu{engine::kind::cpu, 0};
    graph::partition partition;

    explicit combined(op::kind kind, const logical_tensor &other = dense(OTHER_ID, {3, 4})) {
        const fused_graph g{LayerNorm, {dense(SRC_ID, {2, 3, 4})}, {{kind, jitnorm_f32, {other}}}};
        partition = partitions_of(g.ops()).at(0);
    }

    graph::compiled_partition compile(const std::vector<logical_tensor> &inputs) const {
        return partition.compile(inputs, {dense(DST_ID, {2, 3, 4})}, cpu);
    }
    jitnorm_status_t refusal(const std::vector<logical_tensor> &inputs) const {
        return status_of([&] { compile(inputs); });
    }
};

TEST(fusion_errors, of_compilation) {
    const logical_tensor src = dense(SRC_ID, {2, 3, 4});
    using strided = logical_tensor::dims;
    const auto f32 = logical_tensor::data_type::f32;
    const auto with_strides = [&](const strided &strides) {
        return logical_tensor(OTHER_ID, f32, strided{3, 4}, strides);
    };
    for (const op::kind kind : KINDS) {
        const combined c(kind);
        EXPECT_EQ(c.refusal({src, dense(OTHER_ID, {3, 4})}), jitnorm_success);
        EXPECT_EQ(c.refusal({src, dense(OTHER_ID, {1, 4})}), jitnorm_success); // of another shape that goes
        EXPECT_EQ(c.refusal({src, with_strides({0, 1})}), jitnorm_success);
        EXPECT_EQ(c.refusal({src}), jitnorm_invalid_arguments);
        EXPECT_EQ(c.refusal({src, unknown(OTHER_ID)}), jitnorm_invalid_arguments);
        EXPECT_EQ(c.refusal({src, dense(OTHER_ID, {3, 4}, jitnorm_bf16)}), jitnorm_invalid_data_type);
        EXPECT_EQ(c.refusal({src, dense(OTHER_ID, {4, 3})}), jitnorm_invalid_shape);
        EXPECT_EQ(c.refusal({src, dense(OTHER_ID, {1, 2, 3, 4})}), jitnorm_invalid_shape);
        const logical_tensor any(OTHER_ID, f32, strided{3, 4}, logical_tensor::layout_type::any);
        EXPECT_EQ(c.compile({src, any}).query_logical_tensor(OTHER_ID).get_strides(), (strided{4, 1}));
        const logical_tensor undef(OTHER_ID, f32, strided{3, 4}, logical_tensor::layout_type::undef);
        EXPECT_EQ(c.refusal({src, undef}), jitnorm_invalid_arguments);
        EXPECT_STREQ(jitnorm_get_last_error(), "the layout of tensor 20 is neither strided nor any");
        EXPECT_EQ(c.refusal({src, with_strides({JITNORM_GRAPH_UNKNOWN_DIM, 1})}), jitnorm_invalid_arguments);
        EXPECT_STREQ(jitnorm_get_last_error(), "the strides of tensor 20 are not known");
        EXPECT_EQ(c.refusal({src, with_strides({2, 1})}), jitnorm_invalid_arguments);
        EXPECT_EQ(c.refusal({src, with_strides({-4, 1})}), jitnorm_invalid_arguments);
        EXPECT_EQ(c.refusal({dense(SRC_ID, {2, 3, 5}), dense(OTHER_ID, {3, 4})}), jitnorm_invalid_shape);
    }
    const combined modulation(Multiply, dense(OTHER_ID, {2, 1, 4})); // whose columns cannot be broadcast later
    EXPECT_EQ(modulation.refusal({src, dense(OTHER_ID, {2, 1, 4})}), jitnorm_success);
    EXPECT_EQ(modulation.refusal({src, dense(OTHER_ID, {2, 1, 1})}), jitnorm_invalid_shape);
}

TEST(fusion_errors, of_execution) {
    const logical_tensor src = dense(SRC_ID, {2, 3, 4}), other = dense(OTHER_ID, {3, 4}),
                         dst = dense(DST_ID, {2, 3, 4});
    for (const op::kind kind : KINDS) {
        const combined c(kind);
        const graph::compiled_partition compiled = c.compile({src, other});
        stream where(c.cpu);
        std::vector<float> x(24, 1), y(24), z(24);
        const graph::tensor source(src, c.cpu, x.data()), result(dst, c.cpu, y.data());
        const auto refusal = [&](const logical_tensor &lt, float *memory) {
            return status_of([&] { compiled.execute(where, {source, graph::tensor(lt, c.cpu, memory)}, {result}); });
        };
        EXPECT_EQ(refusal(other, z.data()), jitnorm_success);
        EXPECT_EQ(refusal(other, x.data()), jitnorm_success); // two inputs
        EXPECT_EQ(refusal(other, y.data()), jitnorm_invalid_arguments);
        EXPECT_EQ(refusal(other, nullptr), jitnorm_invalid_arguments);
        EXPECT_EQ(refusal(dense(OTHER_ID, {12}), z.data()), jitnorm_invalid_arguments);
        EXPECT_THROW(compiled.execute(where, {source}, {result}), error);
        EXPECT_TRUE(compiled.query_logical_tensor(OTHER_ID).is_equal(other));
        EXPECT_THROW(compiled.query_logical_tensor(FIRST_RESULT), error); // it passes from operation to operation
    }
}

// dst in place of src, but where src is read again after the normalization.
TEST(fusion_errors, in_place) {
    using pairs = std::vector<std::pair<size_t, size_t>>;
    const logical_tensor src = dense(SRC_ID, {2, 3, 4}), dst = dense(DST_ID, {2, 3, 4});
    for (const op::kind kind : KINDS) {
        EXPECT_EQ(combined(kind).compile({src, dense(OTHER_ID, {3, 4})}).get_inplace_ports(),
                  (pairs{{SRC_ID, DST_ID}}));
        const combined c(kind, src);
        const auto compiled = c.compile({src});
        EXPECT_EQ(compiled.get_inplace_ports(), pairs{});
        std::vector<float> x(24, 1);
        stream where(c.cpu);
        const graph::tensor source(src, c.cpu, x.data()), in_place(dst, c.cpu, x.data());
        EXPECT_THROW(compiled.execute(where, {source}, {in_place}), error);
    }
}

TEST(fusion_errors, without_elements) {
    const fused_graph g{LayerNorm, {dense(SRC_ID, {0, 4})}, {{Add, jitnorm_f32, {dense(OTHER_ID, {4})}}}};
    const engine cpu(engine::kind::cpu, 0);
    stream where(cpu);
    const auto compiled = partitions_of(g.ops()).at(0).compile({dense(SRC_ID, {0, 4}), dense(OTHER_ID, {4})},
                                                               {dense(DST_ID, {0, 4})}, cpu);
    std::vector<float> z(4);
    EXPECT_NO_THROW(compiled.execute(
        where, {graph::tensor(dense(SRC_ID, {0, 4}), cpu, nullptr), graph::tensor(dense(OTHER_ID, {4}), cpu, z.data())},
        {graph::tensor(dense(DST_ID, {0, 4}), cpu, nullptr)}));
}

} // namespace
} // namespace jitnorm::tests
