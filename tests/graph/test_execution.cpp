// SPDX-License-Identifier: Apache-2.0
// What execution takes and refuses, in place, on a caller's threads and on several at once.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "compiled_op.hpp"

namespace jitnorm::tests {
namespace {

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

using gradients = std::vector<std::vector<float>>;

gradients gradients_of(op_request request, size_t outputs) {
    request.outputs.resize(outputs);
    const compiled_op op(request);
    const bound ins(op, request.inputs), outs(op, request.outputs);
    ins.fill(24);
    EXPECT_OK(execute(op, ins, outs));
    gradients all;
    for (size_t i = 0; i < outputs; ++i) {
        const auto *data = static_cast<const float *>(outs.data(i));
        const size_t bytes = (i == 0 ? 24 : 4) * (request.outputs[i].data_type == jitnorm_f32 ? 4 : 2);
        all.emplace_back(data, data + bytes / sizeof(float));
    }
    return all;
}

// The gradients of gamma and beta are optional: what is there has the same bits. Without use_affine gamma is not looked
// at, and three outputs are what they are with gamma left out.
TEST(execution, gradients_that_are_left_out_and_without_use_affine) {
    op_request affine = layer_norm_backward(), without = affine, no_gamma = affine;
    without.bools = {{jitnorm_graph_op_attr_use_affine, 0}};
    no_gamma.inputs.resize(4);
    for (const op_request &request : {affine, without}) {
        const gradients whole = gradients_of(request, 3);
        for (const size_t outputs : {1, 2})
            EXPECT_EQ(gradients_of(request, outputs),
                      gradients(whole.begin(), whole.begin() + std::ptrdiff_t(outputs)));
    }
    EXPECT_EQ(gradients_of(without, 3), gradients_of(no_gamma, 3));
    EXPECT_NE(gradients_of(without, 3), gradients_of(affine, 3)) << "whose gamma is not ones";
}

TEST(execution, gradients_of_two_types) {
    op_request request = layer_norm_grad();
    const gradients wide = gradients_of(request, 3);
    request.outputs[1].data_type = jitnorm_bf16;
    EXPECT_EQ(gradients_of(request, 3)[2], wide[2]) << "not rounded to the other's type";
}

// Of two types: each is what it is, and none is rounded to the other's.
TEST(execution, mean_and_variance_of_two_types) {
    const auto gradient_of = [](jitnorm_data_type_t variance_type) {
        op_request request = layer_norm_grad();
        for (std::vector<lt> *list : {&request.inputs, &request.outputs})
            for (lt &t : *list)
                if (t.ndims == 3 && t.id != MEAN_ID && t.id != VARIANCE_ID) t.data_type = jitnorm_bf16;
        request.inputs[2].data_type = variance_type;
        const compiled_op op(request);
        const bound inputs(op, request.inputs), outputs(op, request.outputs);
        for (size_t i = 0; i < 24; ++i) {
            static_cast<uint16_t *>(inputs.data(0))[i] = uint16_t(0x3f80 + 5 * i); // bf16
            static_cast<uint16_t *>(inputs.data(1))[i] = uint16_t(0x4000 + 3 * (i % 7));
        }
        for (size_t row = 0; row < 6; ++row) {
            if (variance_type == jitnorm_bf16)
                static_cast<uint16_t *>(inputs.data(2))[row] = 0x4040; // 3
            else
                static_cast<float *>(inputs.data(2))[row] = 3;
            static_cast<float *>(inputs.data(3))[row] = 2.1F + float(row) / 1000;
        }
        std::fill_n(static_cast<float *>(inputs.data(4)), 4, 1.0F);
        EXPECT_OK(execute(op, inputs, outputs));
        const auto *gamma_gradient = static_cast<const float *>(outputs.data(1));
        return std::vector<float>(gamma_gradient, gamma_gradient + 4);
    };
    EXPECT_EQ(gradient_of(jitnorm_bf16), gradient_of(jitnorm_f32));
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
    const std::pair<lt, const char *> others[] = {
        {make_lt(SRC_ID, {2, 3, 4}, jitnorm_bf16), "tensor 10 is bf16, f32 was compiled"},
        {make_lt(SRC_ID, {5, 3, 4}), "dimension 0 of tensor 10 is 5, of the compiled one 2 (5x3x4 and 2x3x4)"},
        {make_lt(SRC_ID, {2, 3, 4, 1}), "tensor 10 has 4 dimensions (2x3x4x1), the compiled one has 3 (2x3x4)"},
        {make_strided_lt(SRC_ID, {2, 3, 4}, {12, 1, 3}), "tensor 10 has the strides 12x1x3, 12x4x1 were compiled"},
        {make_lt(SRC_ID, {2, 3, 4}, jitnorm_f32, jitnorm_graph_layout_type_any),
         "tensor 10 has the layout type 1, strided was compiled"},
        {make_unknown_lt(SRC_ID), "tensor 10 has 0 dimensions (none), the compiled one has 3 (2x3x4)"}};
    for (const auto &[other, reason] : others) {
        owned_tensor tensor;
        EXPECT_OK(jitnorm_graph_tensor_create(&tensor, &other, cpu(), memory.data()));
        auto ins = inputs.handles;
        ins[0] = tensor;
        EXPECT_EQ(execute(op, ins, outputs.handles, make_stream()), jitnorm_invalid_arguments);
        EXPECT_STREQ(jitnorm_get_last_error(), reason);
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
    ASSERT_OK(execute(op, inputs, outputs));
    const auto *dst = static_cast<const float *>(outputs.data(0));
    const std::vector<float> expected(dst, dst + 512 * 1024);
    std::memset(outputs.data(0), 0, expected.size() * sizeof(float));
    EXPECT_OK(execute(op, inputs.handles, outputs.handles, stream));
    EXPECT_GT(seen.calls, 0);
    EXPECT_EQ(std::memcmp(dst, expected.data(), expected.size() * sizeof(float)), 0);
}

// One compiled partition, which copies a strided gamma, on tensors of each thread's own.
TEST(execution, by_several_threads_at_once) {
    op_request request = layer_norm_backward();
    request.inputs[4] = make_strided_lt(GAMMA_ID, {4}, {3});
    const compiled_op op(request);
    const bound inputs(op, request.inputs), expected(op, request.outputs);
    inputs.fill(24);
    ASSERT_OK(execute(op, inputs, expected));
    std::atomic<int> wrong{0};
    const auto work = [&] {
        const bound outputs(op, request.outputs);
        const owned_stream stream = make_stream();
        for (int i = 0; i < 200; ++i) {
            std::memset(outputs.data(0), 0xff, 24 * sizeof(float));
            if (execute(op, inputs.handles, outputs.handles, stream) != jitnorm_success) ++wrong;
            if (std::memcmp(outputs.data(0), expected.data(0), 24 * sizeof(float)) != 0) ++wrong;
        }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back(work);
    for (std::thread &t : threads) t.join();
    EXPECT_EQ(wrong, 0);
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
