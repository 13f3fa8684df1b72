// SPDX-License-Identifier: Apache-2.0
// Which additions before a normalization become one partition with it, and which do not. Those whose operands are
// broadcast are executed as one in test_fusion_additions.cpp.
#include "fusion_groups.hpp"

namespace jitnorm::tests {
namespace {

using enum op::kind;

// Tensors 1 and 2 give 10, which is normalized; operation 7 comes first.
op addition(const shape &one = DIMS, const shape &other = DIMS, jitnorm_data_type_t type = jitnorm_f32,
            jitnorm_data_type_t other_type = jitnorm_f32, jitnorm_data_type_t sum_type = jitnorm_f32) {
    return op(7, Add, {dense(1, one, type), dense(2, other, other_type)}, {unknown(10, sum_type)}, "add");
}

std::vector<op> added(op before, std::vector<link> links = {}, op::kind norm = LayerNorm,
                      jitnorm_data_type_t type = jitnorm_f32, std::vector<logical_tensor> affine = {}) {
    fused_graph g = chain(std::move(links));
    g.norm = norm;
    g.inputs = {unknown(10, type)};
    g.inputs.insert(g.inputs.end(), affine.begin(), affine.end());
    std::vector<op> ops = g.ops();
    ops.insert(ops.begin(), std::move(before));
    return ops;
}

TEST(fusion_groups_of_sums, an_addition_before) {
    for (const op::kind norm : {LayerNorm, RMSNorm}) {
        EXPECT_EQ(groups_of(added(addition(), {{ReLU}, quantize(0.5F)}, norm)), (groups{{7, 1, 2, 3}}));
        EXPECT_EQ(groups_of(added(addition({2, 1, 4}, {1, 3, 4}), {}, norm)), (groups{{7}, {1}})); // neither is whole
        EXPECT_EQ(groups_of(added(addition({4}, {4}), {}, norm)), (groups{{7}, {1}}));             // of one dimension
    }
    op none = addition(DIMS, {4});
    none.set_attr<std::string>(op::attr::auto_broadcast, "none");
    EXPECT_EQ(groups_of(added(std::move(none))), (groups{{7}, {1}}));
    const op unshaped(7, Add, {dense(1, DIMS), unknown(2)}, {unknown(10)}, "add");
    EXPECT_EQ(groups_of(added(unshaped)), (groups{{7}, {1}}));
    EXPECT_EQ(groups_of(added(addition({2, JITNORM_GRAPH_UNKNOWN_DIM, 4}, {4}))), (groups{{7}, {1}}));
    const std::vector<op> contradicting = {op(7, Add, {dense(1, DIMS), dense(2, DIMS)}, {dense(10, {2, 3, 5})}, "add"),
                                           op(1, RMSNorm, {dense(10, {2, 3, 5})}, {unknown(50)}, "norm")};
    EXPECT_EQ(groups_of(contradicting), (groups{{7}, {1}}));
    const op twice(7, Add, {dense(1, DIMS), dense(1, DIMS)}, {unknown(10)}, "add");
    EXPECT_EQ(groups_of(added(twice)), (groups{{7}, {1}}));
    const op other(7, Multiply, {dense(1, DIMS), dense(2, DIMS)}, {unknown(10)}, "multiply");
    EXPECT_EQ(groups_of(added(other)), (groups{{7}, {1}}));
}

// gamma may be of any type that the normalization takes: only what follows wants f32.
TEST(fusion_groups_of_sums, types_of_an_addition_before) {
    const auto bf16 = jitnorm_bf16, f32 = jitnorm_f32, f16 = jitnorm_f16;
    EXPECT_EQ(groups_of(added(addition(DIMS, DIMS, bf16, bf16, bf16), {}, RMSNorm, bf16)), (groups{{7, 1}}));
    EXPECT_EQ(groups_of(added(addition(DIMS, DIMS, bf16, f32, f32))), (groups{{7, 1}}));
    EXPECT_EQ(groups_of(added(addition(DIMS, DIMS, bf16, f16, f32))), (groups{{7}, {1}}));
    EXPECT_EQ(groups_of(added(addition(DIMS, DIMS, f32, f32, bf16), {}, RMSNorm, bf16)), (groups{{7}, {1}}));
    const auto narrow = [&] { return addition(DIMS, DIMS, bf16, bf16, bf16); };
    EXPECT_EQ(groups_of(added(narrow(), {{ReLU, bf16}}, RMSNorm, bf16, {dense(11, {4}, bf16)})), (groups{{7, 1}, {2}}));
    EXPECT_EQ(groups_of(added(narrow(), {{ReLU, bf16}}, RMSNorm, bf16, {dense(11, {4})})), (groups{{7, 1, 2}}));
}

TEST(fusion_groups_of_sums, a_sum_that_others_read_is_an_output) {
    std::vector<op> ops = added(addition(), {{ReLU}});
    ops.emplace_back(9, End, std::vector<logical_tensor>{unknown(10)}, std::vector<logical_tensor>{}, "outside");
    const auto partitions = partitions_of(ops);
    ASSERT_EQ(partitions.size(), 2u);
    EXPECT_EQ(partitions[0].get_ops(), (std::vector<size_t>{7, 1, 2}));
    std::vector<size_t> outputs;
    for (const logical_tensor &t : partitions[0].get_output_ports()) outputs.push_back(t.get_id());
    EXPECT_EQ(outputs, (std::vector<size_t>{10, FIRST_RESULT + 1}));
}

// The sum comes back as a later operand, directly or through another operation.
TEST(fusion_groups_of_sums, a_sum_that_is_read_again_later) {
    EXPECT_EQ(groups_of(added(addition(), {{Add, jitnorm_f32, {unknown(10)}}})), (groups{{7, 1}, {2}}));
    std::vector<op> ops = added(addition(), {{Add, jitnorm_f32, {dense(20, DIMS)}}});
    ops.emplace_back(9, StaticReshape, std::vector<logical_tensor>{unknown(10)},
                     std::vector<logical_tensor>{dense(20, DIMS)}, "between");
    EXPECT_EQ(groups_of(ops), (groups{{7, 1}, {9}, {2}}));
    fused_graph g;
    g.inputs = {unknown(10), unknown(10)}; // gamma, too
    ops = g.ops();
    ops.push_back(addition());
    EXPECT_EQ(groups_of(ops), (groups{{7}, {1}}));
}

// What reads the sum to write gamma must come between.
TEST(fusion_groups_of_sums, a_gamma_made_of_the_sum) {
    std::vector<op> ops = added(addition(), {}, RMSNorm, jitnorm_f32, {dense(11, {4})});
    ops.emplace_back(9, StaticReshape, std::vector<logical_tensor>{unknown(10)},
                     std::vector<logical_tensor>{dense(11, {4})}, "between");
    EXPECT_EQ(groups_of(ops), (groups{{7}, {9}, {1}}));
}

// An addition after one normalization and before another belongs to the first, as with oneDNN.
TEST(fusion_groups_of_sums, an_addition_between_two) {
    const std::vector<op> ops = {op(1, RMSNorm, {dense(10, DIMS)}, {dense(50, DIMS)}, "first"),
                                 op(2, Add, {dense(50, DIMS), dense(20, DIMS)}, {dense(51, DIMS)}, "add"),
                                 op(8, RMSNorm, {dense(51, DIMS)}, {dense(60, DIMS)}, "second")};
    EXPECT_EQ(groups_of(ops), (groups{{1, 2}, {8}}));
    EXPECT_EQ(groups_of({ops[1], ops[2]}), (groups{{2, 8}})); // which it could join
}

} // namespace
} // namespace jitnorm::tests
