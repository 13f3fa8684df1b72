// SPDX-License-Identifier: Apache-2.0
// Every function of the graph interface that takes pointers refuses null in the place of each; what may be null is null
// here.
#include "graph_objects.hpp"
#include "support/null_pointers.hpp"

namespace jitnorm::tests {
namespace {

#define REFUSES_NULL(function, ...)                                                                                    \
    expect_refused_when_null(#function, jitnorm_invalid_arguments, function, __VA_ARGS__)
#define REFUSES_NULL_GRAPH(function, ...)                                                                              \
    expect_refused_when_null(#function, jitnorm_invalid_graph, function, __VA_ARGS__)

struct null_pointers_of_graphs : testing::Test {
    op_request request = layer_norm();
    execution e{request};
    const jitnorm_graph_partition_t partition = e.op.partition.get();
    const jitnorm_graph_compiled_partition_t compiled = e.op.handle.get();
    const jitnorm::graph::op an_op = request.make();
    const jitnorm::graph::graph a_graph{jitnorm::engine::kind::cpu};
    jitnorm_graph_op_t op = an_op.get(), made_op = nullptr;
    jitnorm_graph_graph_t graph = a_graph.get(), made_graph = nullptr;
    jitnorm_graph_partition_t made_partition = nullptr;
    jitnorm_graph_compiled_partition_t made_compiled = nullptr;
    jitnorm_graph_tensor_t made_tensor = nullptr;
    lt tensor = make_lt(5, {2, 3});
    size_t number = 0;
    uint8_t flag = 0;
    jitnorm_engine_t engine = cpu();
    jitnorm_engine_kind_t kind = jitnorm_cpu;
};

TEST_F(null_pointers_of_graphs, of_logical_tensors_and_tensors) {
    constexpr auto STRIDED = jitnorm_graph_layout_type_strided;
    constexpr auto PLAIN = jitnorm_graph_tensor_property_undef;
    const dims sizes = {2, 3};
    const float value = 0;
    lt scalar = make_lt(1, {});
    scalar.property = jitnorm_graph_tensor_property_host_scalar;
    void *pointer;
    REFUSES_NULL(jitnorm_graph_logical_tensor_init, &tensor, 5, jitnorm_f32, 2, STRIDED, PLAIN);
    REFUSES_NULL(jitnorm_graph_logical_tensor_init_with_dims, &tensor, 5, jitnorm_f32, 2, sizes.data(), STRIDED, PLAIN);
    REFUSES_NULL(jitnorm_graph_logical_tensor_init_with_strides, &tensor, 5, jitnorm_f32, 2, sizes.data(), sizes.data(),
                 PLAIN);
    REFUSES_NULL(jitnorm_graph_logical_tensor_get_mem_size, &tensor, &number);
    REFUSES_NULL(jitnorm_graph_logical_tensor_is_equal, &tensor, &tensor, &flag);
    REFUSES_NULL(jitnorm_graph_tensor_create, &made_tensor, &tensor, engine, nullptr);
    REFUSES_NULL(jitnorm_graph_tensor_create_scalar, &made_tensor, &scalar, &value);
    const jitnorm_graph_tensor_t made = e.inputs.tensors[0].get();
    REFUSES_NULL(jitnorm_graph_tensor_get_engine, made, &engine);
    REFUSES_NULL(jitnorm_graph_tensor_get_logical_tensor, made, &tensor);
    REFUSES_NULL(jitnorm_graph_tensor_get_data_handle, made, &pointer);
    REFUSES_NULL(jitnorm_graph_tensor_set_data_handle, made, nullptr);
}

TEST_F(null_pointers_of_graphs, of_operations) {
    const float f = 1;
    const int64_t i = 1;
    const uint8_t b = 1;
    jitnorm_graph_op_kind_t op_kind;
    REFUSES_NULL(jitnorm_graph_op_create, &made_op, 1, jitnorm_graph_op_layer_norm, "");
    REFUSES_NULL(jitnorm_graph_op_add_input, op, &tensor);
    REFUSES_NULL(jitnorm_graph_op_add_output, op, &tensor);
    REFUSES_NULL(jitnorm_graph_op_set_attr_f32, op, jitnorm_graph_op_attr_epsilon, &f, 1);
    REFUSES_NULL(jitnorm_graph_op_set_attr_s64, op, jitnorm_graph_op_attr_begin_norm_axis, &i, 1);
    REFUSES_NULL(jitnorm_graph_op_set_attr_bool, op, jitnorm_graph_op_attr_use_affine, &b, 1);
    REFUSES_NULL(jitnorm_graph_op_set_attr_str, op, jitnorm_graph_op_attr_mode, "x", 1);
    REFUSES_NULL(jitnorm_graph_op_get_id, op, &number);
    REFUSES_NULL(jitnorm_graph_op_get_kind, op, &op_kind);
}

TEST_F(null_pointers_of_graphs, of_graphs_and_partitions) {
    REFUSES_NULL(jitnorm_graph_graph_create, &made_graph, kind);
    REFUSES_NULL(jitnorm_graph_graph_create_with_fpmath_mode, &made_graph, kind, jitnorm_fpmath_mode_strict);
    REFUSES_NULL(jitnorm_graph_graph_set_fpmath_mode, graph, jitnorm_fpmath_mode_strict, 0);
    REFUSES_NULL(jitnorm_graph_graph_get_fpmath_mode, graph, nullptr, nullptr);
    REFUSES_NULL(jitnorm_graph_add_op, graph, op);
    REFUSES_NULL(jitnorm_graph_graph_finalize, graph);
    REFUSES_NULL(jitnorm_graph_graph_is_finalized, graph, &flag);
    jitnorm_graph_partition_t one = nullptr;
    REFUSES_NULL_GRAPH(jitnorm_graph_graph_filter, graph, jitnorm_graph_partition_policy_debug);
    REFUSES_NULL_GRAPH(jitnorm_graph_graph_get_partitions, graph, 1, &one);
    EXPECT_EQ(jitnorm_graph_graph_get_partition_num(nullptr, &number), jitnorm_invalid_graph);
    EXPECT_EQ(jitnorm_graph_graph_get_partition_num(graph, nullptr), jitnorm_invalid_arguments);
    REFUSES_NULL(jitnorm_graph_partition_create_with_op, &made_partition, op, kind);
    REFUSES_NULL(jitnorm_graph_partition_get_op_num, partition, &number);
    REFUSES_NULL(jitnorm_graph_partition_get_ops, partition, 1, &number);
    REFUSES_NULL(jitnorm_graph_partition_get_id, partition, &number);
    REFUSES_NULL(jitnorm_graph_partition_is_supported, partition, &flag);
    REFUSES_NULL(jitnorm_graph_partition_get_engine_kind, partition, &kind);
    std::vector<lt> ports(3);
    REFUSES_NULL(jitnorm_graph_partition_get_input_ports_num, partition, &number);
    REFUSES_NULL(jitnorm_graph_partition_get_output_ports_num, partition, &number);
    REFUSES_NULL(jitnorm_graph_partition_get_input_ports, partition, 3, ports.data());
    REFUSES_NULL(jitnorm_graph_partition_get_output_ports, partition, 3, ports.data());
}

TEST_F(null_pointers_of_graphs, of_compiled_partitions) {
    std::vector<const lt *> ins = pointers_to(request.inputs), outs = pointers_to(request.outputs);
    const jitnorm_graph_inplace_pair_t *pairs;
    REFUSES_NULL(jitnorm_graph_compiled_partition_create, &made_compiled, partition);
    REFUSES_NULL(jitnorm_graph_partition_compile, partition, compiled, 3, ins.data(), 3, outs.data(), engine);
    ins[1] = nullptr;
    EXPECT_EQ(jitnorm_graph_partition_compile(partition, compiled, 3, ins.data(), 3, outs.data(), engine),
              jitnorm_invalid_arguments);
    REFUSES_NULL(jitnorm_graph_compiled_partition_query_logical_tensor, compiled, SRC_ID, &tensor);
    REFUSES_NULL(jitnorm_graph_compiled_partition_get_scratchpad_logical_tensor, compiled, &tensor);
    REFUSES_NULL(jitnorm_graph_compiled_partition_get_inplace_ports, compiled, &number, &pairs);
    REFUSES_NULL(jitnorm_graph_compiled_partition_execute, compiled, e.stream, 3, e.inputs.handles.data(), 3,
                 e.outputs.handles.data());
    REFUSES_NULL(jitnorm_graph_compiled_partition_execute_v2, compiled, e.stream, 3, e.inputs.handles.data(), 3,
                 e.outputs.handles.data(), nullptr);
}

TEST(destroy_of_graphs, null_is_fine) {
    EXPECT_OK(jitnorm_graph_op_destroy(nullptr));
    EXPECT_OK(jitnorm_graph_graph_destroy(nullptr));
    EXPECT_OK(jitnorm_graph_partition_destroy(nullptr));
    EXPECT_OK(jitnorm_graph_compiled_partition_destroy(nullptr));
    EXPECT_OK(jitnorm_graph_tensor_destroy(nullptr));
}

} // namespace
} // namespace jitnorm::tests
