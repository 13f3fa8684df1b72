// SPDX-License-Identifier: Apache-2.0
// Logical tensors, tensors, graphs and partitions: the functions that make and read them. Which operations become one
// partition, and in which order partitions stand: test_fusion_groups.cpp.
#include "fused_graph.hpp"
#include "graph_objects.hpp"

// Under a sanitizer too, memory that is not there is answered with null, not with the end of the program.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

namespace jitnorm::tests {
namespace {

constexpr auto STRIDED = jitnorm_graph_layout_type_strided, ANY = jitnorm_graph_layout_type_any,
               OPAQUE = jitnorm_graph_layout_type_opaque;
constexpr auto PLAIN = jitnorm_graph_tensor_property_undef;
constexpr int64_t UNKNOWN = JITNORM_GRAPH_UNKNOWN_DIM;
constexpr auto REFUSED = jitnorm_invalid_arguments;

bool are_equal(const lt &a, const lt &b) { return logical_tensor(a).is_equal(logical_tensor(b)); }
dims dims_of(const lt &t) { return logical_tensor(t).get_dims(); }
dims strides_of(const lt &t) { return logical_tensor(t).get_strides(); }

TEST(logical_tensor, of_unknown_dimensions) {
    for (const int32_t ndims : {-1, 0, 3, 12}) {
        const lt t = make_unknown_lt(7, jitnorm_bf16, ndims, ANY);
        EXPECT_EQ(t.id, 7u);
        EXPECT_EQ(t.ndims, ndims);
        EXPECT_EQ(t.data_type, jitnorm_bf16);
        EXPECT_EQ(t.layout_type, ANY);
        EXPECT_EQ(t.property, PLAIN);
        for (int d = 0; d < ndims; ++d) EXPECT_EQ(t.dims[d], UNKNOWN);
    }
    lt t = {};
    for (const int ndims : {-2, 13})
        EXPECT_EQ(jitnorm_graph_logical_tensor_init(&t, 1, jitnorm_f32, ndims, ANY, PLAIN), REFUSED) << ndims;
}

TEST(logical_tensor, of_dimensions_and_strides) {
    EXPECT_EQ(dims_of(make_lt(1, {2, 3, 4, 5})), (dims{2, 3, 4, 5}));
    EXPECT_EQ(strides_of(make_lt(1, {2, 3, 4, 5})), (dims{60, 20, 5, 1}));
    EXPECT_EQ(strides_of(make_lt(1, {2, 0, 4})), (dims{4, 4, 1}));
    EXPECT_EQ(strides_of(make_lt(1, {2, UNKNOWN}))[1], UNKNOWN);
    EXPECT_EQ(strides_of(make_strided_lt(1, {2, 3}, {1, 2}, jitnorm_f16)), (dims{1, 2}));
    lt t = {};
    const dims two = {2, 2}, enormous = {2, INT64_MAX, 3};
    const auto with_dims = jitnorm_graph_logical_tensor_init_with_dims;
    const auto with_strides = jitnorm_graph_logical_tensor_init_with_strides;
    for (const int ndims : {-1, 13}) {
        EXPECT_EQ(with_dims(&t, 1, jitnorm_f32, ndims, two.data(), ANY, PLAIN), REFUSED) << ndims;
        EXPECT_EQ(with_strides(&t, 1, jitnorm_f32, ndims, two.data(), two.data(), PLAIN), REFUSED) << ndims;
    }
    EXPECT_EQ(with_dims(&t, 1, jitnorm_f32, 3, enormous.data(), STRIDED, PLAIN), REFUSED);
    EXPECT_OK(with_strides(&t, 1, jitnorm_f32, 0, nullptr, nullptr, PLAIN));
    EXPECT_OK(with_dims(&t, 1, jitnorm_f32, 0, nullptr, STRIDED, PLAIN));
    EXPECT_EQ(t.ndims, 0);
    t = make_lt(1, {2, 3, 4});
    EXPECT_OK(with_strides(&t, 2, jitnorm_f32, 3, t.dims, t.layout.strides, PLAIN));
    EXPECT_EQ(dims_of(t), (dims{2, 3, 4}));
    EXPECT_EQ(strides_of(t), (dims{12, 4, 1}));
}

TEST(logical_tensor, size) {
    EXPECT_EQ(bytes_of(make_lt(1, {2, 3, 4})), 96u);
    EXPECT_EQ(bytes_of(make_lt(1, {2, 3, 4}, jitnorm_bf16)), 48u);
    EXPECT_EQ(bytes_of(make_lt(1, {}, jitnorm_f32)), 4u);
    EXPECT_EQ(bytes_of(make_lt(1, {2, 0, 4})), 0u);
    EXPECT_EQ(bytes_of(make_strided_lt(1, {2, 3}, {10, 2})), (10 + 2 * 2 + 1) * sizeof(float));
    EXPECT_EQ(bytes_of(make_strided_lt(1, {5, 3}, {0, 1})), 3 * sizeof(float));
    for (const lt &unknown : {make_unknown_lt(1), make_lt(1, {2, UNKNOWN}), make_lt(1, {2, 3}, jitnorm_f32, ANY),
                              make_lt(1, {2, 3}, jitnorm_f32, OPAQUE), make_strided_lt(1, {2, 3}, {UNKNOWN, 1}),
                              make_strided_lt(1, {2, 3}, {-3, 1}), make_lt(1, {2}, jitnorm_data_type_undef)})
        EXPECT_EQ(bytes_of(unknown), size_t(-1));
}

TEST(logical_tensor, equality) {
    const lt t = make_lt(1, {2, 3});
    EXPECT_TRUE(are_equal(t, make_lt(1, {2, 3})));
    EXPECT_TRUE(are_equal(t, make_strided_lt(1, {2, 3}, {3, 1})));
    EXPECT_FALSE(are_equal(t, make_lt(2, {2, 3})));
    EXPECT_FALSE(are_equal(t, make_lt(1, {2, 3}, jitnorm_bf16)));
    EXPECT_FALSE(are_equal(t, make_lt(1, {3, 2})));
    EXPECT_FALSE(are_equal(t, make_lt(1, {2, 3, 1})));
    EXPECT_FALSE(are_equal(t, make_strided_lt(1, {2, 3}, {1, 2})));
    EXPECT_FALSE(are_equal(t, make_lt(1, {2, 3}, jitnorm_f32, ANY)));
    lt other = t;
    other.property = jitnorm_graph_tensor_property_constant;
    EXPECT_FALSE(are_equal(t, other));
    // What has no meaning does not count.
    other = t;
    other.dims[2] = other.layout.strides[2] = 5;
    EXPECT_TRUE(are_equal(t, other));
    lt any = make_lt(1, {2, 3}, jitnorm_f32, ANY), same = any;
    same.layout.strides[0] = 5;
    EXPECT_TRUE(are_equal(any, same));
    EXPECT_FALSE(are_equal(any, make_lt(1, {2, 4}, jitnorm_f32, ANY)));
    lt opaque = make_lt(1, {2, 3}, jitnorm_f32, OPAQUE), another = opaque;
    opaque.layout.layout_id = another.layout.layout_id = 4;
    EXPECT_TRUE(are_equal(opaque, another));
    another.layout.layout_id = 5;
    EXPECT_FALSE(are_equal(opaque, another));
}

graph::tensor make_tensor(const lt &t, void *data) { return {logical_tensor(t), engine(engine::kind::cpu, 0), data}; }

TEST(tensor, memory) {
    const lt t = make_lt(1, {2, 3});
    float data[6];
    EXPECT_EQ(make_tensor(t, data).get_data_handle(), data);
    graph::tensor none = make_tensor(t, JITNORM_MEMORY_NONE), own = make_tensor(t, JITNORM_MEMORY_ALLOCATE);
    EXPECT_EQ(none.get_data_handle(), nullptr);
    none.set_data_handle(data);
    EXPECT_EQ(none.get_data_handle(), data);
    void *const handle = own.get_data_handle();
    EXPECT_NE(handle, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(handle) % 64, 0u);
    static_cast<float *>(handle)[5] = 1;
    own.set_data_handle(handle); // and it is still there
    static_cast<float *>(handle)[5] = 2;
    own.set_data_handle(data);
    make_tensor(make_lt(1, {0, 3}), JITNORM_MEMORY_ALLOCATE);
}

TEST(tensor, queries_and_errors) {
    const lt t = make_lt(5, {2, 3}), unknown = make_unknown_lt(1), enormous = make_lt(1, {int64_t(1) << 55});
    owned_tensor failed;
    EXPECT_EQ(jitnorm_graph_tensor_create(&failed, &unknown, cpu(), JITNORM_MEMORY_ALLOCATE), REFUSED);
    EXPECT_EQ(jitnorm_graph_tensor_create(&failed, &enormous, cpu(), JITNORM_MEMORY_ALLOCATE), jitnorm_out_of_memory);
    EXPECT_TRUE(failed.is_empty());
    const graph::tensor made = make_tensor(t, nullptr);
    EXPECT_EQ(made.get_engine().get(), cpu());
    EXPECT_TRUE(are_equal(made.get_logical_tensor().c_data(), t));
}

// Some other operation of one input and one output.
op unary(size_t id, size_t from, size_t to, op::kind kind = op::kind::ReLU) {
    return op(id, kind, {dense(from, DIMS)}, {dense(to, DIMS)}, "unary");
}

graph::graph graph_of(const std::vector<op> &ops) {
    graph::graph g(engine::kind::cpu);
    for (const op &each : ops) g.add_op(each);
    return g;
}

// Whatever number an operation has, the graph takes it; nothing is known of its inputs and outputs.
TEST(graph, unknown_operations_are_not_supported) {
    for (const int kind : {int(jitnorm_graph_op_abs), int(jitnorm_graph_op_group_norm), 5000, 0x10002, -1}) {
        op_request request = layer_norm();
        request.kind = jitnorm_graph_op_kind_t(kind);
        EXPECT_FALSE(request.partition().is_supported()) << kind;
        EXPECT_EQ(compile(request), jitnorm_invalid_arguments) << kind;
        EXPECT_THROW(compiled_op{request}, error) << kind;
    }
}

TEST(graph, an_id_is_taken_once) {
    graph::graph g = graph_of({layer_norm().make()});
    EXPECT_EQ(g.add_op(unary(1, 50, 51), false), graph::status::invalid_graph_op);
    EXPECT_STREQ(jitnorm_get_last_error(), "the graph already has an operation 1");
    EXPECT_EQ(g.add_op(unary(2, 50, 51), false), graph::status::success);
}

// A tensor has one description and one writer, and no operation waits for itself.
TEST(graph, is_checked_when_it_is_finalized) {
    const std::vector<op> wrong[] = {
        {layer_norm().make(), op(2, op::kind::ReLU, {dense(DST_ID, {2, 12})}, {dense(50, DIMS)}, "other shape")},
        {unary(1, 50, 51), unary(2, 51, 52), unary(3, 52, 50)},
        {unary(1, 50, 51), unary(2, 52, 51)}};
    for (const std::vector<op> &ops : wrong) {
        graph::graph g = graph_of(ops);
        EXPECT_EQ(status_of([&] { g.finalize(); }), jitnorm_invalid_graph);
        EXPECT_FALSE(g.is_finalized());
    }
    EXPECT_STREQ(jitnorm_get_last_error(), "operations 1 and 2 both write tensor 51");
    EXPECT_EQ(status_of([] { graph::partition(unary(1, 50, 50), engine::kind::cpu); }), jitnorm_invalid_graph);
}

TEST(graph, is_finalized_once_and_for_all) {
    graph::graph g = graph_of({layer_norm().make()});
    EXPECT_FALSE(g.is_finalized());
    EXPECT_EQ(status_of([&] { g.get_partitions(); }), jitnorm_invalid_graph);
    g.finalize();
    g.finalize();
    EXPECT_TRUE(g.is_finalized());
    EXPECT_EQ(g.add_op(unary(2, 50, 51), false), graph::status::invalid_graph);
    EXPECT_EQ(status_of([&] { g.set_fpmath_mode(fpmath_mode::any, true); }), jitnorm_invalid_graph);
    EXPECT_EQ(jitnorm_graph_graph_get_fpmath_mode(g.get(), nullptr, nullptr), jitnorm_invalid_graph);
}

TEST(graph, number_of_partitions) {
    graph::graph made = graph_of({layer_norm().make()});
    made.finalize();
    const jitnorm_graph_graph_t g = made.get();
    EXPECT_EQ(queried(jitnorm_graph_graph_get_partition_num, g), 0u);
    EXPECT_OK(jitnorm_graph_graph_filter(g, jitnorm_graph_partition_policy_debug));
    EXPECT_OK(jitnorm_graph_graph_filter(g, jitnorm_graph_partition_policy_fusion));
    EXPECT_EQ(queried(jitnorm_graph_graph_get_partition_num, g), 1u);
    jitnorm_graph_partition_t two[2] = {};
    EXPECT_EQ(jitnorm_graph_graph_get_partitions(g, 2, two), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_graph_get_partitions(g, 0, two), jitnorm_invalid_graph);
    EXPECT_EQ(two[0], nullptr);
    EXPECT_EQ(jitnorm_graph_graph_filter(g, jitnorm_graph_partition_policy_t(0)), jitnorm_invalid_arguments);
}

// Modes that are set are told: test_onednn_examples.cpp.
TEST(graph, creation_and_modes) {
    owned_graph made;
    EXPECT_EQ(jitnorm_graph_graph_create(&made, jitnorm_any_engine), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_graph_create(&made, jitnorm_engine_kind_t(2)), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_graph_create_with_fpmath_mode(&made, jitnorm_cpu, jitnorm_fpmath_mode_t(-1)),
              jitnorm_invalid_arguments);
    EXPECT_TRUE(made.is_empty());
    const graph::graph g(engine::kind::cpu);
    EXPECT_EQ(jitnorm_graph_graph_set_fpmath_mode(g.get(), jitnorm_fpmath_mode_t(5), 0), jitnorm_invalid_arguments);
    jitnorm_fpmath_mode_t mode;
    int apply_to_int;
    EXPECT_OK(jitnorm_graph_graph_get_fpmath_mode(g.get(), &mode, nullptr));
    EXPECT_OK(jitnorm_graph_graph_get_fpmath_mode(g.get(), nullptr, &apply_to_int));
}

TEST(partition, tells_what_it_was_made_of) {
    const graph::partition partition = layer_norm_backward().partition();
    EXPECT_EQ(partition.get_ops(), std::vector<size_t>{1});
    EXPECT_EQ(partition.get_engine_kind(), engine::kind::cpu);
    EXPECT_EQ(queried(jitnorm_graph_partition_is_supported, partition.get()), 1);
    EXPECT_EQ(ids_of(partition.get_input_ports()),
              (std::vector<size_t>{SRC_ID, DIFF_DST_ID, MEAN_ID, VARIANCE_ID, GAMMA_ID, BETA_ID}));
    EXPECT_EQ(ids_of(partition.get_output_ports()), (std::vector<size_t>{DIFF_SRC_ID, DIFF_GAMMA_ID, DIFF_BETA_ID}));
    op_request twice = layer_norm();
    twice.inputs[2].id = GAMMA_ID;
    EXPECT_EQ(twice.partition().get_input_ports().size(), 3u) << "as the operation lists them";
}

TEST(partition, wrong_numbers) {
    const graph::partition made = layer_norm().partition();
    const jitnorm_graph_partition_t partition = made.get();
    const auto refused = jitnorm_invalid_arguments;
    size_t ids[2];
    lt tensors[4];
    EXPECT_EQ(jitnorm_graph_partition_get_ops(partition, 2, ids), refused);
    EXPECT_STREQ(jitnorm_get_last_error(), "num is 2; 1 is expected");
    EXPECT_EQ(jitnorm_graph_partition_get_input_ports(partition, 4, tensors), refused);
    EXPECT_EQ(jitnorm_graph_partition_get_output_ports(partition, 4, tensors), refused);
    owned_partition none;
    EXPECT_EQ(jitnorm_graph_partition_create_with_op(&none, layer_norm().make().get(), jitnorm_any_engine), refused);
    op_request wrong = layer_norm();
    wrong.outputs.resize(2);
    EXPECT_EQ(jitnorm_graph_partition_create_with_op(&none, wrong.make().get(), jitnorm_cpu), jitnorm_invalid_graph_op);
    EXPECT_TRUE(none.is_empty());
}

} // namespace
} // namespace jitnorm::tests
