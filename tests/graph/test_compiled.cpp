// SPDX-License-Identifier: Apache-2.0
// Compilation: inferred shapes, chosen layouts, and the pairs that may share memory.
#include "graph_objects.hpp"
#include "support/log.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto ANY = jitnorm_graph_layout_type_any;

TEST(compiled, infers_shapes) {
    op_request request = layer_norm();
    request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, -2}};
    request.inputs = {make_strided_lt(SRC_ID, {2, 3, 4}, {24, 8, 2}), make_lt(GAMMA_ID, {3, 4}),
                      make_lt(BETA_ID, {3, 4})};
    request.outputs = {make_unknown_lt(DST_ID), make_unknown_lt(MEAN_ID), make_unknown_lt(VARIANCE_ID, jitnorm_f32, 1)};
    const compiled_op op(request);
    EXPECT_EQ(op.dims_of(DST_ID), (dims{2, 3, 4}));
    EXPECT_EQ(op.strides_of(DST_ID), (dims{12, 4, 1}));
    EXPECT_EQ(op.dims_of(MEAN_ID), (dims{2}));
    EXPECT_EQ(op.dims_of(VARIANCE_ID), (dims{2}));
    EXPECT_EQ(op.dims_of(GAMMA_ID), (dims{3, 4}));

    request = layer_norm_backward();
    for (lt &output : request.outputs) output = make_unknown_lt(output.id, jitnorm_f32, -1, ANY);
    const compiled_op backward(request);
    EXPECT_EQ(backward.dims_of(DIFF_SRC_ID), (dims{2, 3, 4}));
    EXPECT_EQ(backward.dims_of(DIFF_GAMMA_ID), (dims{4}));
    EXPECT_EQ(backward.strides_of(DIFF_BETA_ID), (dims{1}));
}

TEST(compiled, statistics_of_a_whole_tensor_are_scalars) {
    op_request request = layer_norm();
    request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, 0}};
    request.inputs.resize(1);
    request.outputs[1] = make_unknown_lt(MEAN_ID);
    request.outputs[2] = make_lt(VARIANCE_ID, {1, 1, 1});
    const compiled_op op(request);
    EXPECT_EQ(op.dims_of(MEAN_ID), dims{});
    EXPECT_EQ(op.dims_of(VARIANCE_ID), (dims{1, 1, 1}));
}

TEST(compiled, chooses_layouts) {
    op_request request = layer_norm();
    request.inputs[0] = make_strided_lt(SRC_ID, {2, 3, 4}, {24, 1, 3});
    request.outputs[0] = make_lt(DST_ID, {2, 3, 4}, jitnorm_f32, ANY);
    EXPECT_EQ(compiled_op(request).strides_of(DST_ID), (dims{12, 1, 3}));
    request.inputs[0] = make_lt(SRC_ID, {2, 3, 4}, jitnorm_f32, ANY);
    request.inputs[1] = make_lt(GAMMA_ID, {4}, jitnorm_f32, ANY);
    const compiled_op op(request);
    EXPECT_EQ(op.strides_of(SRC_ID), (dims{12, 4, 1}));
    EXPECT_EQ(op.strides_of(DST_ID), (dims{12, 4, 1}));
    EXPECT_EQ(op.strides_of(GAMMA_ID), (dims{1}));
}

TEST(compiled, the_log_tells_compilations_and_executions) {
    for (const int level : {0, 1, 2}) {
        const std::string log = log_of(level, [] { EXPECT_OK(execution(layer_norm()).run()); });
        const auto has = [&](const std::string &event) {
            return log.find("jitnorm_verbose,v1," + event + ",cpu,requested,LayerNorm,") != log.npos;
        };
        EXPECT_EQ(has("graph,exec"), level >= 1) << log;
        EXPECT_EQ(has("graph,compile"), level >= 2) << log;
    }
}

TEST(compiled, in_place_pairs) {
    using pairs = std::vector<std::pair<size_t, size_t>>;
    EXPECT_EQ(compiled_op(layer_norm()).pairs(), (pairs{{SRC_ID, DST_ID}}));
    EXPECT_EQ(compiled_op(layer_norm_backward()).pairs(), (pairs{{DIFF_DST_ID, DIFF_SRC_ID}}));
    EXPECT_EQ(compiled_op(layer_norm_grad()).pairs(), (pairs{{DIFF_DST_ID, DIFF_SRC_ID}}));
    EXPECT_EQ(compiled_op(with(layer_norm_grad(), MASK, {0, 1, 1})).pairs(), pairs{});
    op_request request = layer_norm();
    request.outputs[0] = make_strided_lt(DST_ID, {2, 3, 4}, {24, 8, 2});
    EXPECT_EQ(compiled_op(request).pairs(), pairs{});
    request.outputs[0] = make_lt(DST_ID, {2, 3, 4}, jitnorm_f32, ANY);
    EXPECT_EQ(compiled_op(request).pairs(), (pairs{{SRC_ID, DST_ID}}));
}

// gamma is copied, to a place that begins a cache line wherever the caller's memory begins.
TEST(compiled, the_scratchpad_has_room_to_be_aligned) {
    op_request request = layer_norm();
    request.inputs[1] = make_strided_lt(GAMMA_ID, {4}, {3});
    const compiled_op op(request);
    lt found;
    EXPECT_OK(jitnorm_graph_compiled_partition_get_scratchpad_logical_tensor(op.handle, &found));
    EXPECT_EQ(dims(found.dims, found.dims + found.ndims), dims{64 + 63});
}

TEST(compiled, what_is_masked_out_is_what_was_given) {
    const op_request request = with(layer_norm_grad(), MASK, {0, 1, 1});
    EXPECT_EQ(compiled_op(request).dims_of(DIFF_SRC_ID), (dims{2, 3, 4}));
}

TEST(compiled, queries_refuse) {
    const compiled_op op(layer_norm());
    lt found;
    size_t count;
    const jitnorm_graph_inplace_pair_t *pairs;
    EXPECT_EQ(jitnorm_graph_compiled_partition_query_logical_tensor(op.handle, 99, &found), jitnorm_invalid_arguments);
    owned_compiled none;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&none, op.partition));
    EXPECT_EQ(jitnorm_graph_compiled_partition_get_inplace_ports(none, &count, &pairs), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_compiled_partition_get_scratchpad_logical_tensor(none, &found), jitnorm_invalid_arguments);
}

} // namespace
} // namespace jitnorm::tests
