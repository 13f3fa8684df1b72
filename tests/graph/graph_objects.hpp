// SPDX-License-Identifier: Apache-2.0
// graph_objects: operations of the graph interface that work: change one thing and see what the functions, called as C
// calls them, say. An operation compiled, and tensors with memory to execute it with.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <variant>

#include "jitnorm/jitnorm_graph.hpp"
#include "support/jitnorm_handle.hpp"

namespace jitnorm::tests {

using owned_op = owned<jitnorm_graph_op_t, jitnorm_graph_op_destroy>;
using owned_graph = owned<jitnorm_graph_graph_t, jitnorm_graph_graph_destroy>;
using owned_partition = owned<jitnorm_graph_partition_t, jitnorm_graph_partition_destroy>;
using owned_compiled = owned<jitnorm_graph_compiled_partition_t, jitnorm_graph_compiled_partition_destroy>;
using owned_tensor = owned<jitnorm_graph_tensor_t, jitnorm_graph_tensor_destroy>;

using graph::logical_tensor;
using lt = jitnorm_graph_logical_tensor_t;

inline lt make_lt(size_t id, const dims &sizes, jitnorm_data_type_t type = jitnorm_f32,
                  jitnorm_graph_layout_type_t layout = jitnorm_graph_layout_type_strided) {
    return logical_tensor(id, logical_tensor::data_type(type), sizes, logical_tensor::layout_type(layout)).c_data();
}

inline lt make_strided_lt(size_t id, const dims &sizes, const dims &strides, jitnorm_data_type_t type = jitnorm_f32) {
    return logical_tensor(id, logical_tensor::data_type(type), sizes, strides).c_data();
}

inline lt make_unknown_lt(size_t id, jitnorm_data_type_t type = jitnorm_f32,
                          int32_t ndims = JITNORM_GRAPH_UNKNOWN_NDIMS,
                          jitnorm_graph_layout_type_t layout = jitnorm_graph_layout_type_strided) {
    return logical_tensor(id, logical_tensor::data_type(type), ndims, logical_tensor::layout_type(layout)).c_data();
}

inline size_t bytes_of(const lt &t) { return logical_tensor(t).get_mem_size(); }

using attribute = std::variant<bool, int64_t, float, std::string, std::vector<int64_t>>;

// An operation, and whether it can be added and compiled.
struct op_request {
    jitnorm_graph_op_kind_t kind;
    std::vector<lt> inputs, outputs;
    std::vector<std::pair<jitnorm_graph_op_attr_t, attribute>> attributes = {};
    size_t id = 1;

    graph::op make() const {
        graph::op made(id, graph::op::kind(kind), "requested");
        for (const lt &input : inputs) made.add_input(logical_tensor(input));
        for (const lt &output : outputs) made.add_output(logical_tensor(output));
        for (const auto &[name, value] : attributes)
            std::visit([&, attr = graph::op::attr(name)](const auto &v) { made.set_attr(attr, v); }, value);
        return made;
    }
    jitnorm_status_t add() const { return jitnorm_status_t(graph::graph(engine::kind::cpu).add_op(make(), false)); }
    graph::partition partition() const { return {make(), engine::kind::cpu}; }
};

inline op_request with(op_request request, jitnorm_graph_op_attr_t name, attribute value) {
    request.attributes.emplace_back(name, std::move(value));
    return request;
}
constexpr auto KEEP_STATS = jitnorm_graph_op_attr_keep_stats, AXIS = jitnorm_graph_op_attr_begin_norm_axis,
               AFFINE = jitnorm_graph_op_attr_use_affine, EPSILON = jitnorm_graph_op_attr_epsilon,
               MASK = jitnorm_graph_op_attr_output_mask;

inline std::vector<const lt *> pointers_to(const std::vector<lt> &tensors) {
    std::vector<const lt *> result;
    for (const lt &t : tensors) result.push_back(&t);
    return result;
}

inline jitnorm_status_t compile(jitnorm_graph_partition_t partition, jitnorm_graph_compiled_partition_t compiled,
                                const std::vector<lt> &inputs, const std::vector<lt> &outputs) {
    std::vector<const lt *> ins = pointers_to(inputs), outs = pointers_to(outputs);
    return jitnorm_graph_partition_compile(partition, compiled, ins.size(), ins.data(), outs.size(), outs.data(),
                                           cpu());
}

// Compiles the request for the given descriptions.
inline jitnorm_status_t compile(const op_request &request, const std::vector<lt> &inputs,
                                const std::vector<lt> &outputs) {
    const graph::partition partition = request.partition();
    owned_compiled compiled;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&compiled, partition.get()));
    return compile(partition.get(), compiled, inputs, outputs);
}
inline jitnorm_status_t compile(const op_request &request) { return compile(request, request.inputs, request.outputs); }

// ---------------------------------------------------------------- operations that work, of a 2 x 3 x 4 tensor

constexpr size_t SRC_ID = 10, GAMMA_ID = 11, BETA_ID = 12, DST_ID = 13, MEAN_ID = 14, VARIANCE_ID = 15,
                 DIFF_DST_ID = 16, DIFF_SRC_ID = 17, DIFF_GAMMA_ID = 18, DIFF_BETA_ID = 19;

inline op_request layer_norm() {
    return {jitnorm_graph_op_layer_norm,
            {make_lt(SRC_ID, {2, 3, 4}), make_lt(GAMMA_ID, {4}), make_lt(BETA_ID, {4})},
            {make_lt(DST_ID, {2, 3, 4}), make_lt(MEAN_ID, {2, 3}), make_lt(VARIANCE_ID, {2, 3})}};
}

inline op_request rms_norm() {
    return {
        jitnorm_graph_op_rms_norm, {make_lt(SRC_ID, {2, 3, 4}), make_lt(GAMMA_ID, {4})}, {make_lt(DST_ID, {2, 3, 4})}};
}

inline op_request layer_norm_backward(jitnorm_graph_op_kind_t kind = jitnorm_graph_op_layer_norm_backward) {
    return {kind,
            {make_lt(SRC_ID, {2, 3, 4}), make_lt(DIFF_DST_ID, {2, 3, 4}), make_lt(MEAN_ID, {2, 3}),
             make_lt(VARIANCE_ID, {2, 3}), make_lt(GAMMA_ID, {4}), make_lt(BETA_ID, {4})},
            {make_lt(DIFF_SRC_ID, {2, 3, 4}), make_lt(DIFF_GAMMA_ID, {4}), make_lt(DIFF_BETA_ID, {4})}};
}

inline op_request layer_norm_grad() {
    return {jitnorm_graph_op_layer_norm_grad,
            {make_lt(DIFF_DST_ID, {2, 3, 4}), make_lt(SRC_ID, {2, 3, 4}), make_lt(VARIANCE_ID, {2, 3, 1}),
             make_lt(MEAN_ID, {2, 3, 1}), make_lt(GAMMA_ID, {4})},
            {make_lt(DIFF_SRC_ID, {2, 3, 4}), make_lt(DIFF_GAMMA_ID, {4}), make_lt(DIFF_BETA_ID, {4})}};
}

// Its inputs, then its outputs.
inline std::vector<lt *> tensors_of(op_request &request) {
    std::vector<lt *> all;
    for (std::vector<lt> *list : {&request.inputs, &request.outputs})
        for (lt &t : *list) all.push_back(&t);
    return all;
}

// With other types of the tensors of rows, and of the others.
inline op_request with_types(op_request request, jitnorm_data_type_t data, jitnorm_data_type_t side) {
    for (lt *t : tensors_of(request)) {
        const bool is_data = t->id == SRC_ID || t->id == DST_ID || t->id == DIFF_DST_ID || t->id == DIFF_SRC_ID;
        t->data_type = is_data ? data : side;
    }
    return request;
}

// All operations of layer normalization.
inline std::vector<op_request> all_operations() {
    return {layer_norm(), layer_norm_backward(), layer_norm_backward(jitnorm_graph_op_layer_norm_backprop),
            layer_norm_grad()};
}

inline std::vector<logical_tensor> described(const std::vector<lt> &tensors) {
    std::vector<logical_tensor> result;
    for (const lt &t : tensors) result.emplace_back(t);
    return result;
}

struct compiled_op {
    graph::partition partition;
    graph::compiled_partition handle;

    explicit compiled_op(const op_request &request)
        : partition(request.partition()),
          handle(
              partition.compile(described(request.inputs), described(request.outputs), engine(engine::kind::cpu, 0))) {}

    lt query(size_t id) const { return handle.query_logical_tensor(id).c_data(); }
    dims dims_of(size_t id) const { return handle.query_logical_tensor(id).get_dims(); }
    dims strides_of(size_t id) const { return handle.query_logical_tensor(id).get_strides(); }
};

// Tensors with memory, by the descriptions that a compiled operation has of them.
struct bound {
    std::vector<graph::tensor> tensors;
    std::vector<const_jitnorm_graph_tensor_t> handles;

    bound(const compiled_op &op, const std::vector<lt> &described) {
        for (const lt &t : described) add(op.query(t.id));
    }
    void add(const lt &description) {
        tensors.emplace_back(logical_tensor(description), engine(engine::kind::cpu, 0));
        handles.push_back(tensors.back().get());
    }
    template <typename Value = float>
    Value *data(size_t i) const {
        return static_cast<Value *>(tensors[i].get_data_handle());
    }
    std::vector<float> values(size_t i, size_t count) const { return {data(i), data(i) + count}; }
    // Values that differ from tensor to tensor, are positive, as a variance is, and no values of narrower types.
    void fill() const {
        for (size_t i = 0; i < tensors.size(); ++i)
            for (size_t e = 0; e < tensors[i].get_logical_tensor().get_mem_size() / sizeof(float); ++e)
                data(i)[e] = 1 + float((e * 7 + i * 3) % 11) / 3;
    }
};

// An operation compiled, with memory for its tensors, inputs filled.
struct execution {
    compiled_op op;
    bound inputs, outputs;
    owned_stream stream = make_stream();

    explicit execution(const op_request &request)
        : op(request), inputs(op, request.inputs), outputs(op, request.outputs) {
        inputs.fill();
    }
    jitnorm_status_t run() {
        return jitnorm_graph_compiled_partition_execute(op.handle.get(), stream, inputs.handles.size(),
                                                        inputs.handles.data(), outputs.handles.size(),
                                                        outputs.handles.data());
    }
    // With another tensor in the place of one of these.
    jitnorm_status_t run_with(bound &list, size_t i, const lt &description, void *memory) {
        const graph::tensor other(logical_tensor(description), engine(engine::kind::cpu, 0), memory);
        const auto kept = std::exchange(list.handles[i], other.get());
        const jitnorm_status_t status = run();
        list.handles[i] = kept;
        return status;
    }
};

} // namespace jitnorm::tests
