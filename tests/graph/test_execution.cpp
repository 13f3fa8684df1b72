// SPDX-License-Identifier: Apache-2.0
// Compiled partitions: what compilation infers and chooses, in-place pairs, what execution refuses, empty tensors, a
// caller's threads, and the same bits as the primitive has.
#include <cstring>
#include <numeric>

#include "graph_objects.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto ANY = jitnorm_graph_layout_type_any, STRIDED = jitnorm_graph_layout_type_strided;

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
        EXPECT_EQ(t.layout_type, STRIDED);
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
    void *data(size_t i) const {
        void *handle = nullptr;
        EXPECT_OK(jitnorm_graph_tensor_get_data_handle(owners[i], &handle));
        return handle;
    }
    // Values that differ from tensor to tensor and are positive, as a variance is.
    void fill(size_t elements) const {
        for (size_t i = 0; i < owners.size(); ++i) {
            auto *values = static_cast<float *>(data(i));
            lt t;
            EXPECT_OK(jitnorm_graph_tensor_get_logical_tensor(owners[i], &t));
            size_t count = 1;
            for (int d = 0; d < t.ndims; ++d) count *= size_t(t.dims[d]);
            for (size_t e = 0; e < std::min(count, elements); ++e) values[e] = 1 + float((e * 7 + i * 3) % 11) / 4;
        }
    }
};

jitnorm_status_t execute(const compiled_op &op, const std::vector<const_jitnorm_graph_tensor_t> &inputs,
                         const std::vector<const_jitnorm_graph_tensor_t> &outputs, jitnorm_stream_t stream) {
    auto ins = inputs, outs = outputs;
    return jitnorm_graph_compiled_partition_execute(op.handle, stream, ins.size(), ins.data(), outs.size(),
                                                    outs.data());
}
jitnorm_status_t execute(const compiled_op &op, const bound &inputs, const bound &outputs) {
    return execute(op, inputs.handles, outputs.handles, make_stream());
}

// ---------------------------------------------------------------- what compilation decides

TEST(compiled, infers_shapes) {
    op_request request = layer_norm();
    request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, -2}};
    request.inputs = {make_lt(SRC_ID, {2, 3, 4}), make_lt(GAMMA_ID, {3, 4}), make_lt(BETA_ID, {3, 4})};
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

TEST(compiled, in_place_pairs) {
    using pairs = std::vector<std::pair<size_t, size_t>>;
    EXPECT_EQ(compiled_op(layer_norm()).pairs(), (pairs{{SRC_ID, DST_ID}}));
    EXPECT_EQ(compiled_op(layer_norm_backward()).pairs(), (pairs{{DIFF_DST_ID, DIFF_SRC_ID}}));
    op_request request = layer_norm_grad();
    EXPECT_EQ(compiled_op(request).pairs(), (pairs{{DIFF_DST_ID, DIFF_SRC_ID}}));
    request.mask = {0, 1, 1};
    EXPECT_EQ(compiled_op(request).pairs(), pairs{});
    request = layer_norm();
    request.outputs[0] = make_strided_lt(DST_ID, {2, 3, 4}, {24, 8, 2});
    EXPECT_EQ(compiled_op(request).pairs(), pairs{});
    request.outputs[0] = make_lt(DST_ID, {2, 3, 4}, jitnorm_f32, ANY);
    EXPECT_EQ(compiled_op(request).pairs(), (pairs{{SRC_ID, DST_ID}}));
}

TEST(compiled, queries_refuse) {
    const compiled_op op(layer_norm());
    lt found;
    size_t count;
    const jitnorm_graph_inplace_pair_t *pairs;
    const auto refused = jitnorm_invalid_arguments;
    EXPECT_EQ(jitnorm_graph_compiled_partition_query_logical_tensor(op.handle, 99, &found), refused);
    EXPECT_EQ(jitnorm_graph_compiled_partition_query_logical_tensor(op.handle, SRC_ID, nullptr), refused);
    EXPECT_EQ(jitnorm_graph_compiled_partition_query_logical_tensor(nullptr, SRC_ID, &found), refused);
    EXPECT_EQ(jitnorm_graph_compiled_partition_get_inplace_ports(nullptr, &count, &pairs), refused);
    EXPECT_EQ(jitnorm_graph_compiled_partition_get_inplace_ports(op.handle, nullptr, &pairs), refused);
    EXPECT_EQ(jitnorm_graph_compiled_partition_get_inplace_ports(op.handle, &count, nullptr), refused);
    owned_compiled not_compiled;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&not_compiled, op.partition));
    EXPECT_EQ(jitnorm_graph_compiled_partition_get_inplace_ports(not_compiled, &count, &pairs), refused);
}

// ---------------------------------------------------------------- what execution takes

TEST(execution, tensors_in_any_order_and_others_among_them) {
    const op_request request = layer_norm();
    const compiled_op op(request);
    bound inputs(op, request.inputs), outputs(op, request.outputs);
    inputs.fill(24);
    EXPECT_OK(execute(op, inputs, outputs));
    const std::vector<float> expected(static_cast<float *>(outputs.data(0)),
                                      static_cast<float *>(outputs.data(0)) + 24);
    std::memset(outputs.data(0), 0, 24 * sizeof(float));
    inputs.add(make_lt(99, {5}));
    std::reverse(inputs.handles.begin(), inputs.handles.end());
    std::reverse(outputs.handles.begin(), outputs.handles.end());
    EXPECT_OK(execute(op, inputs, outputs));
    EXPECT_EQ(std::memcmp(outputs.data(0), expected.data(), 24 * sizeof(float)), 0);
}

TEST(execution, refuses) {
    const op_request request = layer_norm();
    const compiled_op op(request);
    const bound inputs(op, request.inputs), outputs(op, request.outputs);
    const owned_stream stream = make_stream();
    const auto refused = jitnorm_invalid_arguments;
    auto ins = inputs.handles, outs = outputs.handles;
    const auto call = jitnorm_graph_compiled_partition_execute;
    EXPECT_OK(call(op.handle, stream, 3, ins.data(), 3, outs.data()));
    EXPECT_EQ(call(nullptr, stream, 3, ins.data(), 3, outs.data()), refused);
    EXPECT_EQ(call(op.handle, nullptr, 3, ins.data(), 3, outs.data()), refused);
    EXPECT_EQ(call(op.handle, stream, 3, nullptr, 3, outs.data()), refused);
    EXPECT_EQ(call(op.handle, stream, 3, ins.data(), 3, nullptr), refused);
    owned_compiled not_compiled;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&not_compiled, op.partition));
    EXPECT_EQ(call(not_compiled, stream, 3, ins.data(), 3, outs.data()), refused);
    for (size_t i = 0; i < 3; ++i) {
        for (std::vector<const_jitnorm_graph_tensor_t> *list : {&ins, &outs}) {
            const auto kept = (*list)[i];
            (*list)[i] = nullptr; // as if it were not there
            EXPECT_EQ(call(op.handle, stream, 3, ins.data(), 3, outs.data()), refused);
            (*list)[i] = kept;
        }
    }
}

TEST(execution, refuses_tensors_of_other_descriptions) {
    const op_request request = layer_norm();
    const compiled_op op(request);
    const bound inputs(op, request.inputs), outputs(op, request.outputs);
    std::vector<float> memory(1000);
    const lt others[] = {make_lt(SRC_ID, {2, 3, 4}, jitnorm_bf16),
                         make_lt(SRC_ID, {3, 2, 4}),
                         make_lt(SRC_ID, {2, 3, 4, 1}),
                         make_strided_lt(SRC_ID, {2, 3, 4}, {12, 1, 3}),
                         make_lt(SRC_ID, {2, 3, 4}, jitnorm_f32, ANY),
                         make_unknown_lt(SRC_ID)};
    for (const lt &other : others) {
        owned_tensor tensor;
        EXPECT_OK(jitnorm_graph_tensor_create(&tensor, &other, cpu(), memory.data()));
        auto ins = inputs.handles;
        ins[0] = tensor;
        EXPECT_EQ(execute(op, ins, outputs.handles, make_stream()), jitnorm_invalid_arguments);
    }
    owned_tensor without_memory;
    EXPECT_OK(jitnorm_graph_tensor_create(&without_memory, &request.inputs[0], cpu(), JITNORM_MEMORY_NONE));
    auto ins = inputs.handles;
    ins[0] = without_memory;
    EXPECT_EQ(execute(op, ins, outputs.handles, make_stream()), jitnorm_invalid_arguments);
    // What a tensor is for does not change it.
    lt same = request.inputs[0];
    same.property = jitnorm_graph_tensor_property_constant;
    owned_tensor constant;
    EXPECT_OK(jitnorm_graph_tensor_create(&constant, &same, cpu(), inputs.data(0)));
    ins[0] = constant;
    EXPECT_OK(execute(op, ins, outputs.handles, make_stream()));
}

TEST(execution, in_place) {
    for (const op_request &request : {layer_norm(), layer_norm_backward(), layer_norm_grad()}) {
        const compiled_op op(request);
        const bound inputs(op, request.inputs), outputs(op, request.outputs);
        inputs.fill(24);
        ASSERT_OK(execute(op, inputs, outputs));
        const size_t shared_input = request.inputs[1].id == DIFF_DST_ID ? 1 : 0;
        EXPECT_EQ(op.pairs()[0].first, request.inputs[shared_input].id);
        owned_tensor shared;
        const lt output = op.query(request.outputs[0].id);
        EXPECT_OK(jitnorm_graph_tensor_create(&shared, &output, cpu(), inputs.data(shared_input)));
        auto outs = outputs.handles;
        outs[0] = shared;
        EXPECT_OK(execute(op, inputs.handles, outs, make_stream()));
        EXPECT_EQ(std::memcmp(inputs.data(shared_input), outputs.data(0), 24 * sizeof(float)), 0);
    }
}

TEST(execution, of_tensors_without_elements) {
    op_request request = layer_norm_backward();
    request.inputs = {make_lt(SRC_ID, {0, 3, 4}), make_lt(DIFF_DST_ID, {0, 3, 4}), make_lt(MEAN_ID, {0, 3}),
                      make_lt(VARIANCE_ID, {0, 3}), make_lt(GAMMA_ID, {4})};
    request.outputs[0] = make_lt(DIFF_SRC_ID, {0, 3, 4});
    const compiled_op op(request);
    const bound inputs(op, request.inputs), outputs(op, request.outputs);
    EXPECT_EQ(outputs.data(0), nullptr);
    std::memset(outputs.data(1), 0xff, 4 * sizeof(float));
    ASSERT_OK(execute(op, inputs, outputs));
    for (const size_t gradient : {1, 2})
        for (size_t c = 0; c < 4; ++c) EXPECT_EQ(static_cast<float *>(outputs.data(gradient))[c], 0.F);

    request = layer_norm();
    request.inputs = {make_lt(SRC_ID, {2, 0})};
    request.outputs = {make_lt(DST_ID, {2, 0}), make_lt(MEAN_ID, {2}), make_lt(VARIANCE_ID, {2})};
    const compiled_op forward(request);
    EXPECT_OK(execute(forward, bound(forward, request.inputs), bound(forward, request.outputs)));
}

TEST(execution, on_the_callers_threads) {
    struct counter {
        int calls = 0;
    } seen;
    jitnorm_thread_pool_t pool = {};
    pool.context = &seen;
    pool.concurrency = 4;
    pool.parallel_for = [](void *context, int count, void (*body)(void *, int), void *argument) {
        ++static_cast<counter *>(context)->calls;
        for (int i = 0; i < count; ++i) body(argument, i);
    };
    owned_stream stream;
    EXPECT_OK(jitnorm_stream_create_with_thread_pool(&stream, cpu(), jitnorm_stream_default_flags, &pool));
    op_request request = layer_norm();
    request.inputs = {make_lt(SRC_ID, {512, 1024})};
    request.outputs = {make_lt(DST_ID, {512, 1024}), make_lt(MEAN_ID, {512}), make_lt(VARIANCE_ID, {512})};
    const compiled_op op(request);
    const bound inputs(op, request.inputs), outputs(op, request.outputs);
    inputs.fill(512 * 1024);
    EXPECT_OK(execute(op, inputs.handles, outputs.handles, stream));
    EXPECT_GT(seen.calls, 0);
}

// A partition and its graph may be gone.
TEST(execution, outlives_what_it_was_made_of) {
    const op_request request = layer_norm();
    compiled_op op(request);
    op.partition = owned_partition();
    const bound inputs(op, request.inputs), outputs(op, request.outputs);
    inputs.fill(24);
    EXPECT_OK(execute(op, inputs, outputs));
}

} // namespace
} // namespace jitnorm::tests
