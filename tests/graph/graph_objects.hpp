// SPDX-License-Identifier: Apache-2.0
// graph_objects: handles of the graph interface that end by themselves, and operations that work: change one thing and
// see what the functions, called as C calls them, say. An operation compiled, and tensors with memory to execute it
// with.
#pragma once

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "jitnorm/jitnorm_graph.h"
#include "support/jitnorm_handle.hpp"

namespace jitnorm::tests {

using owned_op = owned<jitnorm_graph_op_t, jitnorm_graph_op_destroy>;
using owned_graph = owned<jitnorm_graph_graph_t, jitnorm_graph_graph_destroy>;
using owned_partition = owned<jitnorm_graph_partition_t, jitnorm_graph_partition_destroy>;
using owned_compiled = owned<jitnorm_graph_compiled_partition_t, jitnorm_graph_compiled_partition_destroy>;
using owned_tensor = owned<jitnorm_graph_tensor_t, jitnorm_graph_tensor_destroy>;

using lt = jitnorm_graph_logical_tensor_t;

inline lt make_lt(size_t id, const dims &sizes, jitnorm_data_type_t type = jitnorm_f32,
                  jitnorm_graph_layout_type_t layout = jitnorm_graph_layout_type_strided) {
    lt result;
    EXPECT_OK(jitnorm_graph_logical_tensor_init_with_dims(&result, id, type, int32_t(sizes.size()), sizes.data(),
                                                          layout, jitnorm_graph_tensor_property_undef));
    return result;
}

inline lt make_strided_lt(size_t id, const dims &sizes, const dims &strides, jitnorm_data_type_t type = jitnorm_f32) {
    lt result;
    EXPECT_OK(jitnorm_graph_logical_tensor_init_with_strides(&result, id, type, int32_t(sizes.size()), sizes.data(),
                                                             strides.data(), jitnorm_graph_tensor_property_undef));
    return result;
}

inline lt make_unknown_lt(size_t id, jitnorm_data_type_t type = jitnorm_f32,
                          int32_t ndims = JITNORM_GRAPH_UNKNOWN_NDIMS,
                          jitnorm_graph_layout_type_t layout = jitnorm_graph_layout_type_strided) {
    lt result;
    EXPECT_OK(jitnorm_graph_logical_tensor_init(&result, id, type, ndims, layout, jitnorm_graph_tensor_property_undef));
    return result;
}

inline size_t bytes_of(const lt &t) { return queried(jitnorm_graph_logical_tensor_get_mem_size, &t); }

// An operation, and whether it can be added and compiled.
struct op_request {
    jitnorm_graph_op_kind_t kind;
    std::vector<lt> inputs, outputs;
    std::vector<std::pair<jitnorm_graph_op_attr_t, int64_t>> bools = {}, numbers = {};
    std::vector<std::pair<jitnorm_graph_op_attr_t, float>> floats = {};
    std::vector<int64_t> mask = {}; // empty: not set
    size_t id = 1;

    owned_op make() const {
        owned_op op;
        EXPECT_OK(jitnorm_graph_op_create(&op, id, kind, "requested"));
        for (const lt &input : inputs) EXPECT_OK(jitnorm_graph_op_add_input(op, &input));
        for (const lt &output : outputs) EXPECT_OK(jitnorm_graph_op_add_output(op, &output));
        for (const auto &[name, value] : bools) {
            const uint8_t byte = value != 0;
            EXPECT_OK(jitnorm_graph_op_set_attr_bool(op, name, &byte, 1));
        }
        for (const auto &[name, value] : numbers) EXPECT_OK(jitnorm_graph_op_set_attr_s64(op, name, &value, 1));
        for (const auto &[name, value] : floats) EXPECT_OK(jitnorm_graph_op_set_attr_f32(op, name, &value, 1));
        if (!mask.empty()) {
            EXPECT_OK(jitnorm_graph_op_set_attr_s64(op, jitnorm_graph_op_attr_output_mask, mask.data(), mask.size()));
        }
        return op;
    }

    jitnorm_status_t add() const {
        owned_graph graph;
        EXPECT_OK(jitnorm_graph_graph_create(&graph, jitnorm_cpu));
        return jitnorm_graph_add_op(graph, make());
    }

    owned_partition partition() const {
        owned_partition result;
        EXPECT_OK(jitnorm_graph_partition_create_with_op(&result, make(), jitnorm_cpu));
        return result;
    }
};

// The request with another value of one of its members.
template <typename Value>
op_request with(op_request request, Value op_request::*member, std::type_identity_t<Value> value) {
    request.*member = std::move(value);
    return request;
}
constexpr auto BOOLS = &op_request::bools, NUMBERS = &op_request::numbers;
constexpr auto FLOATS = &op_request::floats;
constexpr auto MASK = &op_request::mask;

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

inline bool is_supported(jitnorm_graph_partition_t partition) {
    const uint8_t answer = queried(jitnorm_graph_partition_is_supported, partition);
    EXPECT_LE(answer, 1);
    return answer == 1;
}

// Compiles the request for the given descriptions.
inline jitnorm_status_t compile(const op_request &request, const std::vector<lt> &inputs,
                                const std::vector<lt> &outputs) {
    const owned_partition partition = request.partition();
    owned_compiled compiled;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&compiled, partition));
    return compile(partition, compiled, inputs, outputs);
}
inline jitnorm_status_t compile(const op_request &request) { return compile(request, request.inputs, request.outputs); }

// ---------------------------------------------------------------- operations that work, of a 2 x 3 x 4 tensor

enum : size_t {
    SRC_ID = 10,
    GAMMA_ID,
    BETA_ID,
    DST_ID,
    MEAN_ID,
    VARIANCE_ID,
    DIFF_DST_ID,
    DIFF_SRC_ID,
    DIFF_GAMMA_ID,
    DIFF_BETA_ID
};

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

// ---------------------------------------------------------------- compiled and executed

struct compiled_op {
    owned_partition partition;
    owned_compiled handle;

    explicit compiled_op(const op_request &request) : compiled_op(request, request.inputs, request.outputs) {}
    compiled_op(const op_request &request, const std::vector<lt> &inputs, const std::vector<lt> &outputs)
        : partition(request.partition()) {
        EXPECT_OK(jitnorm_graph_compiled_partition_create(&handle, partition));
        EXPECT_OK(compile(partition, handle, inputs, outputs));
    }

    lt query(size_t id) const {
        lt found = {};
        EXPECT_OK(jitnorm_graph_compiled_partition_query_logical_tensor(handle, id, &found));
        return found;
    }
    dims dims_of(size_t id) const {
        const lt t = query(id);
        return {t.dims, t.dims + t.ndims};
    }
    dims strides_of(size_t id) const {
        const lt t = query(id);
        EXPECT_EQ(t.layout_type, jitnorm_graph_layout_type_strided);
        return {t.layout.strides, t.layout.strides + t.ndims};
    }
    std::vector<std::pair<size_t, size_t>> pairs() const {
        size_t count = 9;
        const jitnorm_graph_inplace_pair_t *found = nullptr;
        EXPECT_OK(jitnorm_graph_compiled_partition_get_inplace_ports(handle, &count, &found));
        std::vector<std::pair<size_t, size_t>> result;
        for (size_t i = 0; i < count; ++i) result.emplace_back(found[i].input_id, found[i].output_id);
        return result;
    }
};

// Tensors with memory, by the descriptions that a compiled operation has of them.
struct bound {
    std::vector<owned_tensor> owners;
    std::vector<const_jitnorm_graph_tensor_t> handles;

    bound(const compiled_op &op, const std::vector<lt> &tensors) {
        for (const lt &t : tensors) add(op.query(t.id));
    }
    void add(const lt &description) {
        owned_tensor tensor;
        EXPECT_OK(jitnorm_graph_tensor_create(&tensor, &description, cpu(), JITNORM_MEMORY_ALLOCATE));
        handles.push_back(tensor);
        owners.push_back(std::move(tensor));
    }
    template <typename Value = float>
    Value *data(size_t i) const {
        return static_cast<Value *>(queried(jitnorm_graph_tensor_get_data_handle, owners[i]));
    }
    std::vector<float> values(size_t i, size_t count) const { return {data(i), data(i) + count}; }
    // Values that differ from tensor to tensor, are positive, as a variance is, and no values of narrower types.
    void fill() const {
        for (size_t i = 0; i < owners.size(); ++i) {
            const size_t bytes = bytes_of(queried(jitnorm_graph_tensor_get_logical_tensor, owners[i]));
            for (size_t e = 0; e < bytes / sizeof(float); ++e) data(i)[e] = 1 + float((e * 7 + i * 3) % 11) / 3;
        }
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
        return jitnorm_graph_compiled_partition_execute(op.handle, stream, inputs.handles.size(), inputs.handles.data(),
                                                        outputs.handles.size(), outputs.handles.data());
    }
    // With another tensor in the place of one of these.
    jitnorm_status_t run_with(bound &list, size_t i, const lt &description, void *memory) {
        owned_tensor other;
        EXPECT_OK(jitnorm_graph_tensor_create(&other, &description, cpu(), memory));
        const auto kept = std::exchange(list.handles[i], other);
        const jitnorm_status_t status = run();
        list.handles[i] = kept;
        return status;
    }
};

} // namespace jitnorm::tests
