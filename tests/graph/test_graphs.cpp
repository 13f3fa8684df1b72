// SPDX-License-Identifier: Apache-2.0
// Graphs and their partitions: refusals, the order of partitions, the getters of partitions.
#include <algorithm>

#include "graph_objects.hpp"

namespace jitnorm::tests {
namespace {

owned_graph graph_of(const std::vector<op_request> &operations) {
    owned_graph graph;
    EXPECT_OK(jitnorm_graph_graph_create(&graph, jitnorm_cpu));
    for (const op_request &each : operations) EXPECT_OK(jitnorm_graph_add_op(graph, each.make()));
    return graph;
}

std::vector<owned_partition> partitions_of(jitnorm_graph_graph_t graph) {
    EXPECT_OK(jitnorm_graph_graph_filter(graph, jitnorm_graph_partition_policy_fusion));
    const size_t count = queried(jitnorm_graph_graph_get_partition_num, graph);
    std::vector<jitnorm_graph_partition_t> handles(count);
    EXPECT_OK(jitnorm_graph_graph_get_partitions(graph, count, handles.data()));
    std::vector<owned_partition> result(count);
    for (size_t i = 0; i < count; ++i) *&result[i] = handles[i];
    return result;
}

size_t op_of(jitnorm_graph_partition_t partition) {
    size_t id = 0;
    EXPECT_OK(jitnorm_graph_partition_get_ops(partition, 1, &id));
    return id;
}

bool is_finalized(jitnorm_graph_graph_t graph) {
    const uint8_t answer = queried(jitnorm_graph_graph_is_finalized, graph);
    EXPECT_LE(answer, 1);
    return answer == 1;
}

// Some other operation of one input and one output.
op_request unary(size_t id, size_t from, size_t to, jitnorm_graph_op_kind_t kind = jitnorm_graph_op_relu) {
    return {kind, {make_lt(from, {2, 3, 4})}, {make_lt(to, {2, 3, 4})}, {}, {}, {}, {}, id};
}

constexpr auto ID = &op_request::id;

TEST(graph, partitions_in_an_order_to_execute_them) {
    const owned_graph graph =
        graph_of({with(layer_norm_backward(), ID, 3), unary(4, DST_ID, DIFF_DST_ID, jitnorm_graph_op_reciprocal),
                  with(layer_norm(), ID, 5), unary(6, 1, SRC_ID, jitnorm_graph_op_wildcard)});
    EXPECT_OK(jitnorm_graph_graph_finalize(graph));
    const std::vector<owned_partition> partitions = partitions_of(graph);
    ASSERT_EQ(partitions.size(), 4u);
    const size_t order[] = {6, 5, 4, 3};
    const bool supported[] = {false, true, false, true};
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(op_of(partitions[i]), order[i]);
        EXPECT_EQ(is_supported(partitions[i]), supported[i]);
    }
    EXPECT_NE(queried(jitnorm_graph_partition_get_id, partitions[0]),
              queried(jitnorm_graph_partition_get_id, partitions[1]));
}

// Whatever number an operation has, the graph takes it; nothing is known of its inputs and outputs.
TEST(graph, unknown_operations_are_not_supported) {
    for (const int kind : {int(jitnorm_graph_op_abs), int(jitnorm_graph_op_group_norm), 5000, 0x10002, -1}) {
        const op_request request = with(layer_norm(), &op_request::kind, jitnorm_graph_op_kind_t(kind));
        EXPECT_FALSE(is_supported(request.partition()));
        EXPECT_EQ(compile(request), jitnorm_invalid_arguments);
    }
}

TEST(graph, an_id_is_taken_once) {
    const owned_graph graph = graph_of({layer_norm()});
    EXPECT_EQ(jitnorm_graph_add_op(graph, unary(1, 50, 51).make()), jitnorm_invalid_graph_op);
    EXPECT_STREQ(jitnorm_get_last_error(), "the graph already has an operation 1");
    EXPECT_OK(jitnorm_graph_add_op(graph, unary(2, 50, 51).make()));
}

// A tensor has one description and one writer, and no operation waits for itself.
TEST(graph, is_checked_when_it_is_finalized) {
    op_request other = unary(2, DST_ID, 50);
    other.inputs[0] = make_lt(DST_ID, {2, 12});
    const std::vector<op_request> wrong[] = {{layer_norm(), other},
                                             {unary(1, 50, 51), unary(2, 51, 52), unary(3, 52, 50)},
                                             {unary(1, 50, 51), unary(2, 52, 51)}};
    for (const std::vector<op_request> &operations : wrong) {
        const owned_graph graph = graph_of(operations);
        EXPECT_EQ(jitnorm_graph_graph_finalize(graph), jitnorm_invalid_graph);
        EXPECT_FALSE(is_finalized(graph));
    }
    EXPECT_STREQ(jitnorm_get_last_error(), "operations 1 and 2 both write tensor 51");
    owned_partition partition;
    EXPECT_EQ(jitnorm_graph_partition_create_with_op(&partition, unary(1, 50, 50).make(), jitnorm_cpu),
              jitnorm_invalid_graph);
}

TEST(graph, is_finalized_once_and_for_all) {
    const owned_graph graph = graph_of({layer_norm()});
    EXPECT_FALSE(is_finalized(graph));
    EXPECT_EQ(jitnorm_graph_graph_filter(graph, jitnorm_graph_partition_policy_fusion), jitnorm_invalid_graph);
    EXPECT_OK(jitnorm_graph_graph_finalize(graph));
    EXPECT_OK(jitnorm_graph_graph_finalize(graph));
    EXPECT_TRUE(is_finalized(graph));
    EXPECT_EQ(jitnorm_graph_add_op(graph, unary(2, 50, 51).make()), jitnorm_invalid_graph);
    EXPECT_EQ(jitnorm_graph_graph_set_fpmath_mode(graph, jitnorm_fpmath_mode_any, 1), jitnorm_invalid_graph);
    EXPECT_EQ(jitnorm_graph_graph_get_fpmath_mode(graph, nullptr, nullptr), jitnorm_invalid_graph);
}

TEST(graph, number_of_partitions) {
    const owned_graph graph = graph_of({layer_norm()});
    EXPECT_OK(jitnorm_graph_graph_finalize(graph));
    EXPECT_EQ(queried(jitnorm_graph_graph_get_partition_num, graph), 0u);
    EXPECT_OK(jitnorm_graph_graph_filter(graph, jitnorm_graph_partition_policy_debug));
    EXPECT_OK(jitnorm_graph_graph_filter(graph, jitnorm_graph_partition_policy_fusion));
    EXPECT_EQ(queried(jitnorm_graph_graph_get_partition_num, graph), 1u);
    jitnorm_graph_partition_t two[2] = {};
    EXPECT_EQ(jitnorm_graph_graph_get_partitions(graph, 2, two), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_graph_get_partitions(graph, 0, two), jitnorm_invalid_graph);
    EXPECT_EQ(two[0], nullptr);
    EXPECT_EQ(jitnorm_graph_graph_filter(graph, jitnorm_graph_partition_policy_t(0)), jitnorm_invalid_arguments);
}

// Where nothing is set: test_onednn_examples.cpp.
TEST(graph, floating_point_mode) {
    const owned_graph graph = graph_of({});
    jitnorm_fpmath_mode_t mode;
    int apply_to_int;
    EXPECT_OK(jitnorm_graph_graph_set_fpmath_mode(graph, jitnorm_fpmath_mode_tf32, 1));
    EXPECT_OK(jitnorm_graph_graph_get_fpmath_mode(graph, &mode, nullptr));
    EXPECT_OK(jitnorm_graph_graph_get_fpmath_mode(graph, nullptr, &apply_to_int));
    EXPECT_EQ(mode, jitnorm_fpmath_mode_tf32);
    EXPECT_EQ(apply_to_int, 1);
    EXPECT_EQ(jitnorm_graph_graph_set_fpmath_mode(graph, jitnorm_fpmath_mode_t(5), 0), jitnorm_invalid_arguments);
}

TEST(graph, creation) {
    owned_graph graph;
    EXPECT_EQ(jitnorm_graph_graph_create(&graph, jitnorm_any_engine), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_graph_create(&graph, jitnorm_engine_kind_t(2)), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_graph_create_with_fpmath_mode(&graph, jitnorm_cpu, jitnorm_fpmath_mode_t(-1)),
              jitnorm_invalid_arguments);
    EXPECT_TRUE(graph.is_empty());
}

TEST(partition, tells_what_it_was_made_of) {
    const op_request request = layer_norm_backward();
    const owned_partition partition = request.partition();
    EXPECT_EQ(queried(jitnorm_graph_partition_get_op_num, partition), 1u);
    EXPECT_EQ(queried(jitnorm_graph_partition_get_engine_kind, partition), jitnorm_cpu);
    const size_t inputs = queried(jitnorm_graph_partition_get_input_ports_num, partition),
                 outputs = queried(jitnorm_graph_partition_get_output_ports_num, partition);
    ASSERT_EQ(inputs, 6u);
    ASSERT_EQ(outputs, 3u);
    std::vector<lt> ins(inputs), outs(outputs);
    EXPECT_OK(jitnorm_graph_partition_get_input_ports(partition, inputs, ins.data()));
    EXPECT_OK(jitnorm_graph_partition_get_output_ports(partition, outputs, outs.data()));
    for (size_t i = 0; i < inputs; ++i) EXPECT_EQ(ins[i].id, request.inputs[i].id);
    for (size_t i = 0; i < outputs; ++i) EXPECT_EQ(outs[i].id, request.outputs[i].id);
    op_request twice = layer_norm();
    twice.inputs[2].id = GAMMA_ID;
    EXPECT_EQ(queried(jitnorm_graph_partition_get_input_ports_num, twice.partition()), 3u)
        << "as the operation lists them";
}

TEST(partition, wrong_numbers) {
    const owned_partition partition = layer_norm().partition();
    const auto refused = jitnorm_invalid_arguments;
    size_t ids[2];
    lt tensors[4];
    EXPECT_EQ(jitnorm_graph_partition_get_ops(partition, 2, ids), refused);
    EXPECT_STREQ(jitnorm_get_last_error(), "num is 2; 1 is expected");
    EXPECT_EQ(jitnorm_graph_partition_get_input_ports(partition, 4, tensors), refused);
    EXPECT_EQ(jitnorm_graph_partition_get_output_ports(partition, 4, tensors), refused);
    owned_partition none;
    EXPECT_EQ(jitnorm_graph_partition_create_with_op(&none, layer_norm().make(), jitnorm_any_engine), refused);
    op_request wrong = layer_norm();
    wrong.outputs.resize(2);
    EXPECT_EQ(jitnorm_graph_partition_create_with_op(&none, wrong.make(), jitnorm_cpu), jitnorm_invalid_graph_op);
    EXPECT_TRUE(none.is_empty());
}

} // namespace
} // namespace jitnorm::tests
