// SPDX-License-Identifier: Apache-2.0
// compiled_op: an operation compiled, and tensors with memory to execute it with.
#pragma once

#include <utility>

#include "graph_objects.hpp"

namespace jitnorm::tests {

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
        void *handle = nullptr;
        EXPECT_OK(jitnorm_graph_tensor_get_data_handle(owners[i], &handle));
        return static_cast<Value *>(handle);
    }
    std::vector<float> values(size_t i, size_t count) const { return {data(i), data(i) + count}; }
    // Values that differ from tensor to tensor, are positive, as a variance is, and no values of narrower types.
    void fill() const {
        for (size_t i = 0; i < owners.size(); ++i) {
            lt t;
            size_t bytes = 0;
            EXPECT_OK(jitnorm_graph_tensor_get_logical_tensor(owners[i], &t));
            EXPECT_OK(jitnorm_graph_logical_tensor_get_mem_size(&t, &bytes));
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
