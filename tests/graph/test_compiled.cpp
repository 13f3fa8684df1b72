// SPDX-License-Identifier: Apache-2.0
// Compiled partitions: inferred shapes, chosen layouts, and the pairs that may share memory. Their execution: accepted
// and refused tensors, on a caller's threads and on several at once.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

#include "graph_objects.hpp"
#include "support/log.hpp"
#include "support/small_pool.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto ANY = jitnorm_graph_layout_type_any;

TEST(compiled, infers_shapes) {
    op_request request = layer_norm();
    request.inputs = {make_strided_lt(SRC_ID, {2, 3, 4}, {24, 8, 2}), make_lt(GAMMA_ID, {3, 4}),
                      make_lt(BETA_ID, {3, 4})};
    request.outputs = {make_unknown_lt(DST_ID), make_unknown_lt(MEAN_ID), make_unknown_lt(VARIANCE_ID, jitnorm_f32, 1)};
    const compiled_op op(with(request, AXIS, -2));
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

    request = layer_norm();
    request.inputs.resize(1);
    request.outputs[1] = make_unknown_lt(MEAN_ID);
    request.outputs[2] = make_lt(VARIANCE_ID, {1, 1, 1});
    const compiled_op of_a_whole_tensor(with(request, AXIS, 0));
    EXPECT_EQ(of_a_whole_tensor.dims_of(MEAN_ID), dims{}) << "a scalar";
    EXPECT_EQ(of_a_whole_tensor.dims_of(VARIANCE_ID), (dims{1, 1, 1}));
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
    const auto pairs_of = [](const op_request &request) { return compiled_op(request).handle.get_inplace_ports(); };
    const op_request without_diff_src = with(layer_norm_grad(), MASK, dims{0, 1, 1});
    EXPECT_EQ(pairs_of(layer_norm()), (pairs{{SRC_ID, DST_ID}}));
    EXPECT_EQ(pairs_of(layer_norm_backward()), (pairs{{DIFF_DST_ID, DIFF_SRC_ID}}));
    EXPECT_EQ(pairs_of(layer_norm_grad()), (pairs{{DIFF_DST_ID, DIFF_SRC_ID}}));
    EXPECT_EQ(pairs_of(without_diff_src), pairs{});
    EXPECT_EQ(compiled_op(without_diff_src).dims_of(DIFF_SRC_ID), (dims{2, 3, 4})) << "as it was given";
    op_request request = layer_norm();
    request.outputs[0] = make_strided_lt(DST_ID, {2, 3, 4}, {24, 8, 2});
    EXPECT_EQ(pairs_of(request), pairs{});
    request.outputs[0] = make_lt(DST_ID, {2, 3, 4}, jitnorm_f32, ANY);
    EXPECT_EQ(pairs_of(request), (pairs{{SRC_ID, DST_ID}}));
}

// gamma is copied, to a place that begins a cache line wherever the caller's memory begins.
TEST(compiled, the_scratchpad_has_room_to_be_aligned) {
    op_request request = layer_norm();
    request.inputs[1] = make_strided_lt(GAMMA_ID, {4}, {3});
    EXPECT_EQ(compiled_op(request).handle.get_scratchpad_logical_tensor().get_dims(), dims{64 + 63});
}

TEST(compiled, queries_refuse) {
    const compiled_op op(layer_norm());
    lt found;
    size_t count;
    const jitnorm_graph_inplace_pair_t *pairs;
    EXPECT_EQ(jitnorm_graph_compiled_partition_query_logical_tensor(op.handle.get(), 99, &found),
              jitnorm_invalid_arguments);
    owned_compiled none;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&none, op.partition.get()));
    EXPECT_EQ(jitnorm_graph_compiled_partition_get_inplace_ports(none, &count, &pairs), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_compiled_partition_get_scratchpad_logical_tensor(none, &found), jitnorm_invalid_arguments);
}

TEST(execution, tensors_in_any_order_and_others_among_them) {
    execution e(layer_norm());
    EXPECT_OK(e.run());
    const std::vector<float> expected = e.outputs.values(0, 24);
    std::memset(e.outputs.data(0), 0, 24 * sizeof(float));
    e.inputs.add(make_lt(99, {5}));
    std::reverse(e.inputs.handles.begin(), e.inputs.handles.end());
    std::reverse(e.outputs.handles.begin(), e.outputs.handles.end());
    EXPECT_OK(e.run());
    EXPECT_EQ(e.outputs.values(0, 24), expected);
}

using gradients = std::vector<std::vector<float>>;

gradients gradients_of(op_request request, size_t outputs) {
    request.outputs.resize(outputs);
    execution e(request);
    EXPECT_OK(e.run());
    gradients all;
    for (size_t i = 0; i < outputs; ++i) {
        const size_t bytes = (i == 0 ? 24 : 4) * (request.outputs[i].data_type == jitnorm_f32 ? 4 : 2);
        all.push_back(e.outputs.values(i, bytes / sizeof(float)));
    }
    return all;
}

// The gradients of gamma and beta are optional: the others keep their bits. Without use_affine gamma is ignored, and
// three outputs are as without gamma.
TEST(execution, gradients_that_are_left_out_and_without_use_affine) {
    const op_request affine = layer_norm_backward(), without = with(affine, AFFINE, false);
    op_request no_gamma = affine;
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

// As Ascend's kernel, which takes no attribute.
TEST(execution, epsilon_of_layer_norm_grad) {
    const auto gradient_of = [](jitnorm_data_type_t type, std::optional<float> epsilon) {
        const op_request request = with_types(layer_norm_grad(), type, jitnorm_f32);
        execution e(epsilon ? with(request, EPSILON, *epsilon) : request);
        std::fill_n(e.inputs.data(2), 6, 1e-6F); // variances to which either makes a difference
        for (const size_t input : {0, 1})
            for (size_t i = 0; i < 24 && type != jitnorm_f32; ++i)
                e.inputs.data<uint16_t>(input)[i] = uint16_t(0x3c00 + 16 * (i % 7) + 16 * input); // about 1 or 1/128
        EXPECT_OK(e.run());
        return e.outputs.values(0, type == jitnorm_f32 ? 24 : 12);
    };
    EXPECT_EQ(gradient_of(jitnorm_f32, {}), gradient_of(jitnorm_f32, 1e-12F));
    EXPECT_NE(gradient_of(jitnorm_f32, {}), gradient_of(jitnorm_f32, 1e-5F));
    for (const auto type : {jitnorm_bf16, jitnorm_f16}) {
        EXPECT_EQ(gradient_of(type, {}), gradient_of(type, 1e-5F));
        EXPECT_NE(gradient_of(type, {}), gradient_of(type, 1e-12F));
    }
}

// Each tensor of a type of its own is what it is, and none is rounded to another's.
TEST(execution, gradients_of_two_types) {
    op_request request = layer_norm_grad();
    const gradients wide = gradients_of(request, 3);
    request.outputs[1].data_type = jitnorm_bf16;
    EXPECT_EQ(gradients_of(request, 3)[2], wide[2]);
}

TEST(execution, mean_and_variance_of_two_types) {
    const auto gradient_of = [](jitnorm_data_type_t variance_type) {
        op_request request = with_types(layer_norm_grad(), jitnorm_bf16, jitnorm_f32);
        request.inputs[2].data_type = variance_type;
        execution e(request);
        for (size_t i = 0; i < 24; ++i) {
            e.inputs.data<uint16_t>(0)[i] = uint16_t(0x3f80 + 5 * i); // bf16
            e.inputs.data<uint16_t>(1)[i] = uint16_t(0x4000 + 3 * (i % 7));
        }
        for (size_t row = 0; row < 6; ++row) e.inputs.data(3)[row] = 2.1F + float(row) / 1000;
        if (variance_type == jitnorm_bf16)
            std::fill_n(e.inputs.data<uint16_t>(2), 6, uint16_t(0x4040)); // 3
        else
            std::fill_n(e.inputs.data(2), 6, 3.0F);
        std::fill_n(e.inputs.data(4), 4, 1.0F);
        EXPECT_OK(e.run());
        return e.outputs.values(1, 4);
    };
    EXPECT_EQ(gradient_of(jitnorm_bf16), gradient_of(jitnorm_f32));
}

TEST(execution, refuses) {
    execution e(layer_norm());
    EXPECT_OK(e.run());
    owned_compiled not_compiled;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&not_compiled, e.op.partition.get()));
    EXPECT_EQ(jitnorm_graph_compiled_partition_execute(not_compiled, e.stream, 3, e.inputs.handles.data(), 3,
                                                       e.outputs.handles.data()),
              jitnorm_invalid_arguments);
    for (bound *list : {&e.inputs, &e.outputs})
        for (const_jitnorm_graph_tensor_t &each : list->handles) {
            const auto kept = std::exchange(each, nullptr); // as if it were not there
            EXPECT_EQ(e.run(), jitnorm_invalid_arguments);
            each = kept;
        }
    e.inputs.handles.push_back(e.inputs.handles[0]);
    EXPECT_EQ(e.run(), jitnorm_invalid_arguments);
    EXPECT_STREQ(jitnorm_get_last_error(), "tensor 10 is given twice");
}

TEST(execution, refuses_tensors_of_other_descriptions) {
    const op_request request = layer_norm();
    execution e(request);
    std::vector<float> memory(1000);
    const std::pair<lt, const char *> others[] = {
        {make_lt(SRC_ID, {2, 3, 4}, jitnorm_bf16), "tensor 10 is bf16; it was compiled as f32"},
        {make_lt(SRC_ID, {5, 3, 4}),
         "dimension 0 of tensor 10 is 5, that of the compiled tensor is 2 (5x3x4 and 2x3x4)"},
        {make_lt(SRC_ID, {2, 3, 4, 1}), "tensor 10 has 4 dimensions (2x3x4x1), the compiled tensor has 3 (2x3x4)"},
        {make_strided_lt(SRC_ID, {2, 3, 4}, {12, 1, 3}),
         "tensor 10 has the strides 12x1x3; it was compiled with 12x4x1"},
        {make_lt(SRC_ID, {2, 3, 4}, jitnorm_f32, jitnorm_graph_layout_type_any),
         "tensor 10 has the layout type 1; it was compiled as strided"},
        {make_unknown_lt(SRC_ID), "tensor 10 has 0 dimensions (none), the compiled tensor has 3 (2x3x4)"}};
    for (const auto &[other, reason] : others) {
        EXPECT_EQ(e.run_with(e.inputs, 0, other, memory.data()), jitnorm_invalid_arguments);
        EXPECT_STREQ(jitnorm_get_last_error(), reason);
    }
    EXPECT_EQ(e.run_with(e.inputs, 0, request.inputs[0], JITNORM_MEMORY_NONE), jitnorm_invalid_arguments);
    // What a tensor is for does not change it.
    lt same = request.inputs[0];
    same.property = jitnorm_graph_tensor_property_constant;
    EXPECT_OK(e.run_with(e.inputs, 0, same, e.inputs.data(0)));
}

TEST(execution, names_tensors_that_share_memory) {
    const op_request request = layer_norm();
    execution e(request);
    const auto reason_at_mean = [&](size_t input) {
        EXPECT_EQ(e.run_with(e.inputs, input, request.inputs[input], e.outputs.data(1)), jitnorm_invalid_arguments);
        return std::string(jitnorm_get_last_error());
    };
    EXPECT_EQ(reason_at_mean(0), "mean is an output and has the memory of src");
    EXPECT_EQ(reason_at_mean(1), "mean is an output and has the memory of scale");
}

TEST(execution, on_the_callers_threads) {
    small_pool pool(3);
    op_request request = layer_norm();
    request.inputs = {make_lt(SRC_ID, {512, 1024})};
    request.outputs = {make_lt(DST_ID, {512, 1024}), make_lt(MEAN_ID, {512}), make_lt(VARIANCE_ID, {512})};
    execution e(request);
    ASSERT_OK(e.run());
    const std::vector<float> expected = e.outputs.values(0, 512 * 1024);
    std::memset(e.outputs.data(0), 0, expected.size() * sizeof(float));
    e.stream = make_stream(pool.as_seen_by_the_library());
    EXPECT_OK(e.run());
    EXPECT_GT(pool.calls(), 0);
    EXPECT_EQ(e.outputs.values(0, 512 * 1024), expected);
}

// One compiled partition, which copies a strided gamma, on tensors of each thread's own.
TEST(execution, by_several_threads_at_once) {
    op_request request = layer_norm_backward();
    request.inputs[4] = make_strided_lt(GAMMA_ID, {4}, {3});
    execution e(request);
    ASSERT_OK(e.run());
    std::atomic<int> wrong{0};
    const auto work = [&] {
        const bound outputs(e.op, request.outputs);
        auto ins = e.inputs.handles, outs = outputs.handles;
        const owned_stream stream = make_stream();
        for (int i = 0; i < 200; ++i) {
            std::memset(outputs.data(0), 0xff, 24 * sizeof(float));
            wrong += jitnorm_graph_compiled_partition_execute(e.op.handle.get(), stream, ins.size(), ins.data(),
                                                              outs.size(), outs.data()) != jitnorm_success;
            wrong += std::memcmp(outputs.data(0), e.outputs.data(0), 24 * sizeof(float)) != 0;
        }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back(work);
    for (std::thread &t : threads) t.join();
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace jitnorm::tests
