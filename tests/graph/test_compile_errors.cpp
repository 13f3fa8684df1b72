// SPDX-License-Identifier: Apache-2.0
// Refusals of compilation with their statuses: each rule of jitnorm_graph_partition_compile, broken once.
#include <climits>

#include "compiled_op.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto ANY = jitnorm_graph_layout_type_any, OPAQUE = jitnorm_graph_layout_type_opaque,
               UNDEF = jitnorm_graph_layout_type_undef;
constexpr int64_t UNKNOWN = JITNORM_GRAPH_UNKNOWN_DIM;

// Compiles each operation with each of its tensors changed, one at a time; `expected` says what then happens.
template <typename Change, typename Expected>
void expect_for_each_tensor(Change &&change, Expected &&expected) {
    for (const op_request &request : all_operations())
        for (size_t i = 0; i < request.inputs.size() + request.outputs.size(); ++i) {
            std::vector<lt> inputs = request.inputs, outputs = request.outputs;
            const bool is_input = i < inputs.size();
            lt &changed = is_input ? inputs[i] : outputs[i - inputs.size()];
            const bool ignored = request.kind != jitnorm_graph_op_layer_norm && changed.id == BETA_ID;
            change(changed);
            const jitnorm_status_t status = ignored ? jitnorm_success : expected(is_input);
            EXPECT_EQ(compile(request, inputs, outputs), status) << "operation " << request.kind << " tensor " << i;
        }
}

constexpr auto ALWAYS_INVALID = [](bool) { return jitnorm_invalid_arguments; };
constexpr auto ALWAYS_MISFIT = [](bool) { return jitnorm_invalid_shape; };

TEST(compile_errors, a_compiled_partition_of_another_partition) {
    const op_request request = layer_norm();
    const owned_partition one = request.partition(), other = request.partition();
    owned_compiled compiled;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&compiled, other));
    EXPECT_EQ(compile(one, compiled, request.inputs, request.outputs), jitnorm_invalid_arguments);
}

TEST(compile_errors, missing_tensors) {
    for (const op_request &request : all_operations()) {
        for (size_t i = 0; i < request.inputs.size(); ++i) {
            std::vector<lt> inputs = request.inputs;
            const size_t id = inputs[i].id;
            const bool ignored = request.kind != jitnorm_graph_op_layer_norm && id == BETA_ID;
            inputs.erase(inputs.begin() + int64_t(i));
            EXPECT_EQ(compile(request, inputs, request.outputs), ignored ? jitnorm_success : jitnorm_invalid_arguments);
        }
        for (size_t i = 0; i < request.outputs.size(); ++i) {
            std::vector<lt> outputs = request.outputs;
            outputs.erase(outputs.begin() + int64_t(i));
            EXPECT_EQ(compile(request, request.inputs, outputs), jitnorm_invalid_arguments);
        }
        EXPECT_EQ(compile(request, request.outputs, request.inputs), jitnorm_invalid_arguments);
    }
}

// Gamma and beta without use_affine, outputs that are masked out.
TEST(compile_errors, what_is_not_looked_at_may_be_missing) {
    op_request request = layer_norm();
    request.bools = {{jitnorm_graph_op_attr_use_affine, 0}};
    EXPECT_OK(compile(request, {request.inputs[0]}, request.outputs));
    request = layer_norm_grad();
    request.mask = {0, 1, 0};
    EXPECT_OK(compile(request, request.inputs, {request.outputs[1]}));
    request.mask = {0, 0, 0};
    EXPECT_OK(compile(request, request.inputs, {}));
}

TEST(compile_errors, in_any_order_and_with_others) {
    for (const op_request &request : all_operations()) {
        std::vector<lt> inputs(request.inputs.rbegin(), request.inputs.rend());
        std::vector<lt> outputs(request.outputs.rbegin(), request.outputs.rend());
        inputs.insert(inputs.begin(), make_unknown_lt(99));
        outputs.push_back(make_unknown_lt(98));
        EXPECT_OK(compile(request, inputs, outputs));
    }
}

TEST(compile_errors, data_types) {
    expect_for_each_tensor([](lt &t) { t.data_type = jitnorm_bf16; }, [](bool) { return jitnorm_invalid_data_type; });
    expect_for_each_tensor([](lt &t) { t.data_type = jitnorm_data_type_undef; }, ALWAYS_INVALID);
}

TEST(compile_errors, layouts) {
    for (const auto layout : {UNDEF, OPAQUE, jitnorm_graph_layout_type_t(4)})
        expect_for_each_tensor([&](lt &t) { t.layout_type = layout; }, ALWAYS_INVALID);
    expect_for_each_tensor([](lt &t) { t.layout_type = ANY; }, [](bool) { return jitnorm_success; });
    expect_for_each_tensor([](lt &t) { t.layout.strides[0] = -4; }, ALWAYS_INVALID);
    expect_for_each_tensor([](lt &t) { t.layout.strides[0] = INT64_MAX / 2; }, ALWAYS_INVALID);
    // A stride of 0: all positions are one, which can be read and not written.
    expect_for_each_tensor([](lt &t) { t.layout.strides[0] = 0; },
                           [](bool is_input) { return is_input ? jitnorm_success : jitnorm_invalid_arguments; });
    // Positions that overlap otherwise.
    expect_for_each_tensor(
        [](lt &t) {
            if (t.ndims > 1)
                t.layout.strides[0] = 1;
            else
                t.layout_type = UNDEF;
        },
        ALWAYS_INVALID);
}

TEST(compile_errors, unknown_shapes_and_strides) {
    const auto inferred = [](bool is_input) { return is_input ? jitnorm_invalid_arguments : jitnorm_success; };
    expect_for_each_tensor([](lt &t) { t.dims[0] = UNKNOWN; }, inferred);
    expect_for_each_tensor([](lt &t) { t = make_unknown_lt(t.id); }, inferred);
    expect_for_each_tensor([](lt &t) { t.layout.strides[0] = UNKNOWN; }, inferred);
}

TEST(compile_errors, shapes) {
    expect_for_each_tensor([](lt &t) { t = make_lt(t.id, {5, 3, 4}); }, ALWAYS_MISFIT);
    expect_for_each_tensor([](lt &t) { t = make_lt(t.id, {}); }, ALWAYS_MISFIT);
    expect_for_each_tensor([](lt &t) { t = make_lt(t.id, {2, 3, 4, 1}); }, ALWAYS_MISFIT);
    expect_for_each_tensor([](lt &t) { t.dims[0] = 7; }, ALWAYS_MISFIT);
    for (const int rank : {13, 1000, INT_MAX, -2, INT_MIN})
        expect_for_each_tensor([=](lt &t) { t.ndims = rank; }, ALWAYS_INVALID);
}

TEST(compile_errors, what_is_known_of_an_output_counts) {
    for (const op_request &request : all_operations())
        for (size_t i = 0; i < request.outputs.size(); ++i) {
            std::vector<lt> outputs = request.outputs;
            outputs[i] = make_unknown_lt(outputs[i].id, jitnorm_f32, outputs[i].ndims);
            EXPECT_OK(compile(request, request.inputs, outputs));
            outputs[i].dims[0] = 7;
            EXPECT_EQ(compile(request, request.inputs, outputs), jitnorm_invalid_shape);
        }
}

// src decides which shapes the others must have; here all of them have its shape.
TEST(compile_errors, begin_norm_axis) {
    op_request request = layer_norm();
    request.inputs = {make_unknown_lt(SRC_ID)};
    request.outputs = {make_unknown_lt(DST_ID), make_unknown_lt(MEAN_ID), make_unknown_lt(VARIANCE_ID)};
    const auto status_with = [&](int64_t axis, const dims &sizes = {2, 3, 4}) {
        return compile(with(request, NUMBERS, {{jitnorm_graph_op_attr_begin_norm_axis, axis}}),
                       {make_lt(SRC_ID, sizes)}, request.outputs);
    };
    for (const int64_t axis : {-3, -1, 0, 2}) EXPECT_OK(status_with(axis));
    for (const int64_t axis : {int64_t(-4), int64_t(3), INT64_MIN, INT64_MAX})
        EXPECT_EQ(status_with(axis), jitnorm_invalid_shape);
    EXPECT_EQ(status_with(0, {}), jitnorm_invalid_shape);
    request = layer_norm_grad(); // which normalizes as many axes as gamma has
    request.inputs[4] = make_lt(GAMMA_ID, {1, 2, 3, 4});
    EXPECT_EQ(compile(request), jitnorm_invalid_shape);
}

// For two normalized axes, gamma, beta and their gradients may be vectors of as many elements.
TEST(compile_errors, vectors_of_another_number_of_elements) {
    op_request request = layer_norm_backward();
    request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, 1}};
    request.inputs[2] = make_lt(MEAN_ID, {2});
    request.inputs[3] = make_lt(VARIANCE_ID, {2});
    for (const size_t i : {0, 1}) request.outputs[1 + i] = make_lt(DIFF_GAMMA_ID + i, {12});
    request.inputs[4] = make_lt(GAMMA_ID, {12});
    EXPECT_EQ(compiled_op(request).dims_of(GAMMA_ID), dims{12}) << "queries answer what was given";
    request.inputs[4] = make_lt(GAMMA_ID, {11});
    EXPECT_EQ(compile(request), jitnorm_invalid_shape);
    request.inputs[4] = make_strided_lt(GAMMA_ID, {12}, {INT64_MAX / 4});
    EXPECT_EQ(compile(request), jitnorm_invalid_arguments);
}

TEST(compile_errors, ranks) {
    for (int rank = 1; rank <= JITNORM_MAX_NDIMS; ++rank)
        for (const bool normalized_as_a_whole : {false, true}) {
            const dims all(size_t(rank), 2), side(normalized_as_a_whole ? size_t(rank) : 1, 2);
            op_request request = layer_norm();
            request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, normalized_as_a_whole ? 0 : -1}};
            request.inputs = {make_lt(SRC_ID, all), make_lt(GAMMA_ID, side), make_lt(BETA_ID, side)};
            request.outputs = {make_lt(DST_ID, all), make_unknown_lt(MEAN_ID), make_unknown_lt(VARIANCE_ID)};
            const bool fits = rank < JITNORM_MAX_NDIMS; // one may have to go before them
            EXPECT_EQ(compile(request), fits ? jitnorm_success : jitnorm_unimplemented) << "rank " << rank;
        }
}

// A failure leaves what was compiled before.
TEST(compile_errors, failures_change_nothing) {
    const op_request request = layer_norm();
    const owned_partition partition = request.partition();
    owned_compiled compiled;
    lt found;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&compiled, partition));
    EXPECT_EQ(jitnorm_graph_compiled_partition_query_logical_tensor(compiled, DST_ID, &found),
              jitnorm_invalid_arguments);
    EXPECT_OK(compile(partition, compiled, request.inputs, request.outputs));
    EXPECT_EQ(compile(partition, compiled, {}, request.outputs), jitnorm_invalid_arguments);
    EXPECT_OK(jitnorm_graph_compiled_partition_query_logical_tensor(compiled, DST_ID, &found));
    EXPECT_EQ(dims(found.dims, found.dims + found.ndims), (dims{2, 3, 4}));
}

} // namespace
} // namespace jitnorm::tests
