// SPDX-License-Identifier: Apache-2.0
// Fused partitions: what compilation and execution refuse of the tensors that operations behind a normalization read,
// and which tensors may share memory.
#include "fused_graph.hpp"

namespace jitnorm::tests {
namespace {

using enum op::kind;

constexpr size_t SRC_ID = 10, OTHER_ID = 20, DST_ID = FIRST_RESULT + 1;

fused_graph sum_of(const logical_tensor &other) {
    return {LayerNorm, {dense(SRC_ID, {2, 3, 4})}, {{Add, jitnorm_f32, {other}}}};
}

struct compiled_sum {
    engine cpu{engine::kind::cpu, 0};
    graph::partition partition;

    explicit compiled_sum(const logical_tensor &other = dense(OTHER_ID, {3, 4}))
        : partition(partitions_of(sum_of(other).ops()).at(0)) {}

    graph::compiled_partition compile(const std::vector<logical_tensor> &inputs) const {
        return partition.compile(inputs, {dense(DST_ID, {2, 3, 4})}, cpu);
    }
    jitnorm_status_t refusal(const std::vector<logical_tensor> &inputs) const {
        try {
            compile(inputs);
        } catch (const error &e) {
            return e.status;
        }
        return jitnorm_success;
    }
};

TEST(fusion_errors, of_compilation) {
    const compiled_sum sum;
    const logical_tensor src = dense(SRC_ID, {2, 3, 4});
    using strided = logical_tensor::dims;
    const auto f32 = logical_tensor::data_type::f32;
    EXPECT_EQ(sum.refusal({src, dense(OTHER_ID, {3, 4})}), jitnorm_success);
    EXPECT_EQ(sum.refusal({src, dense(OTHER_ID, {1, 4})}), jitnorm_success); // of another shape that goes
    EXPECT_EQ(sum.refusal({src, logical_tensor(OTHER_ID, f32, strided{3, 4}, strided{0, 1})}), jitnorm_success);
    EXPECT_EQ(sum.refusal({src}), jitnorm_invalid_arguments);
    EXPECT_EQ(sum.refusal({src, unknown(OTHER_ID)}), jitnorm_invalid_arguments);
    EXPECT_EQ(sum.refusal({src, dense(OTHER_ID, {3, 4}, jitnorm_bf16)}), jitnorm_invalid_data_type);
    EXPECT_EQ(sum.refusal({src, dense(OTHER_ID, {4, 3})}), jitnorm_invalid_shape);
    EXPECT_EQ(sum.refusal({src, dense(OTHER_ID, {1, 2, 3, 4})}), jitnorm_invalid_shape);
    const auto any = logical_tensor::layout_type::any;
    EXPECT_EQ(sum.refusal({src, logical_tensor(OTHER_ID, f32, strided{3, 4}, any)}), jitnorm_success); // dense
    const auto undef = logical_tensor::layout_type::undef;
    EXPECT_EQ(sum.refusal({src, logical_tensor(OTHER_ID, f32, strided{3, 4}, undef)}), jitnorm_invalid_arguments);
    EXPECT_EQ(sum.refusal({src, logical_tensor(OTHER_ID, f32, strided{3, 4}, strided{2, 1})}),
              jitnorm_invalid_arguments);
    EXPECT_EQ(sum.refusal({src, logical_tensor(OTHER_ID, f32, strided{3, 4}, strided{-4, 1})}),
              jitnorm_invalid_arguments);
    EXPECT_EQ(sum.refusal({dense(SRC_ID, {2, 3, 5}), dense(OTHER_ID, {3, 4})}), jitnorm_invalid_shape);
}

TEST(fusion_errors, of_execution) {
    const compiled_sum sum;
    const logical_tensor src = dense(SRC_ID, {2, 3, 4}), other = dense(OTHER_ID, {3, 4}),
                         dst = dense(DST_ID, {2, 3, 4});
    const graph::compiled_partition compiled = sum.compile({src, other});
    stream where(sum.cpu);
    std::vector<float> x(24, 1), y(24), z(24);
    const graph::tensor source(src, sum.cpu, x.data()), operand(other, sum.cpu, z.data()),
        result(dst, sum.cpu, y.data());
    EXPECT_NO_THROW(compiled.execute(where, {source, operand}, {result}));
    EXPECT_THROW(compiled.execute(where, {source}, {result}), error);
    EXPECT_THROW(compiled.execute(where, {source, graph::tensor(other, sum.cpu, nullptr)}, {result}), error);
    EXPECT_THROW(compiled.execute(where, {source, graph::tensor(dense(OTHER_ID, {12}), sum.cpu, z.data())}, {result}),
                 error);
    const graph::tensor at_dst(other, sum.cpu, y.data());
    EXPECT_THROW(compiled.execute(where, {source, at_dst}, {result}), error);
    EXPECT_NO_THROW(compiled.execute(where, {source, graph::tensor(other, sum.cpu, x.data())}, {result}));
    EXPECT_TRUE(compiled.query_logical_tensor(OTHER_ID).is_equal(other));
    EXPECT_THROW(compiled.query_logical_tensor(FIRST_RESULT), error); // it passes from operation to operation
}

// dst in place of src, but where src is read again behind the normalization.
TEST(fusion_errors, in_place) {
    using pairs = std::vector<std::pair<size_t, size_t>>;
    EXPECT_EQ(compiled_sum().compile({dense(SRC_ID, {2, 3, 4}), dense(OTHER_ID, {3, 4})}).get_inplace_ports(),
              (pairs{{SRC_ID, DST_ID}}));
    const logical_tensor src = dense(SRC_ID, {2, 3, 4});
    EXPECT_EQ(compiled_sum(src).compile({src}).get_inplace_ports(), pairs{});
    std::vector<float> x(24);
    for (size_t i = 0; i < x.size(); ++i) x[i] = float(i * i % 7);
    const compiled_sum sum(src);
    stream where(sum.cpu);
    const graph::tensor both(src, sum.cpu, x.data());
    EXPECT_THROW(
        sum.compile({src}).execute(where, {both}, {graph::tensor(dense(DST_ID, {2, 3, 4}), sum.cpu, x.data())}), error);
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
