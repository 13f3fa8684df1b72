// SPDX-License-Identifier: Apache-2.0
// Refusals of compilation with their statuses: each rule of jitnorm_graph_partition_compile, broken once. RMSNorm: the
// types, axes and shapes that are taken, refused, and not supported.
#include <climits>

#include "graph_objects.hpp"

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
            op_request described = request;
            lt &changed = *tensors_of(described)[i];
            const bool ignored = request.kind != jitnorm_graph_op_layer_norm && changed.id == BETA_ID;
            change(changed);
            const jitnorm_status_t status = ignored ? jitnorm_success : expected(i < request.inputs.size());
            EXPECT_EQ(compile(request, described.inputs, described.outputs), status)
                << "operation " << request.kind << " tensor " << i;
        }
}

constexpr auto ALWAYS_INVALID = [](bool) { return jitnorm_invalid_arguments; };
constexpr auto ALWAYS_MISFIT = [](bool) { return jitnorm_invalid_shape; };

TEST(compile_errors, a_compiled_partition_of_another_partition) {
    const compiled_op one(layer_norm()), other(layer_norm());
    EXPECT_EQ(compile(one.partition.get(), other.handle.get(), layer_norm().inputs, layer_norm().outputs),
              jitnorm_invalid_arguments);
}

TEST(compile_errors, missing_tensors) {
    expect_for_each_tensor([](lt &t) { t.id = 99; }, ALWAYS_INVALID);
    for (const op_request &request : all_operations())
        EXPECT_EQ(compile(request, request.outputs, request.inputs), jitnorm_invalid_arguments);
}

// Gamma and beta without use_affine, outputs that are masked out.
TEST(compile_errors, what_is_not_looked_at_may_be_missing) {
    const op_request forward = with(layer_norm(), AFFINE, false), backward = layer_norm_grad();
    EXPECT_OK(compile(forward, {forward.inputs[0]}, forward.outputs));
    EXPECT_OK(compile(with(backward, MASK, dims{0, 1, 0}), backward.inputs, {backward.outputs[1]}));
    EXPECT_OK(compile(with(backward, MASK, dims{0, 0, 0}), backward.inputs, {}));
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
    const auto overlap_otherwise = [](lt &t) {
        t.layout.strides[0] = 1;
        if (t.ndims == 1) t.layout_type = UNDEF; // which cannot overlap
    };
    expect_for_each_tensor(overlap_otherwise, ALWAYS_INVALID);
}

TEST(compile_errors, unknown_shapes_and_strides) {
    const auto inferred = [](bool is_input) { return is_input ? jitnorm_invalid_arguments : jitnorm_success; };
    expect_for_each_tensor([](lt &t) { t.dims[0] = UNKNOWN; }, inferred);
    expect_for_each_tensor([](lt &t) { t = make_unknown_lt(t.id); }, inferred);
    expect_for_each_tensor([](lt &t) { t = make_unknown_lt(t.id, jitnorm_f32, t.ndims); }, inferred);
    expect_for_each_tensor([](lt &t) { t.layout.strides[0] = UNKNOWN; }, inferred);
    for (const op_request &request : all_operations())
        for (size_t i = 0; i < request.outputs.size(); ++i) {
            std::vector<lt> outputs = request.outputs;
            outputs[i] = make_unknown_lt(outputs[i].id, jitnorm_f32, outputs[i].ndims);
            outputs[i].dims[0] = 7; // which is known, and counts
            EXPECT_EQ(compile(request, request.inputs, outputs), jitnorm_invalid_shape);
        }
}

TEST(compile_errors, shapes) {
    expect_for_each_tensor([](lt &t) { t = make_lt(t.id, {5, 3, 4}); }, ALWAYS_MISFIT);
    expect_for_each_tensor([](lt &t) { t = make_lt(t.id, {}); }, ALWAYS_MISFIT);
    expect_for_each_tensor([](lt &t) { t = make_lt(t.id, {2, 3, 4, 1}); }, ALWAYS_MISFIT);
    expect_for_each_tensor([](lt &t) { t.dims[0] = 7; }, ALWAYS_MISFIT);
    for (const int rank : {13, 1000, INT_MAX, -2, INT_MIN})
        expect_for_each_tensor([=](lt &t) { t.ndims = rank; }, ALWAYS_INVALID);
}

// src decides which shapes the others must have; here all of them have its shape.
TEST(compile_errors, begin_norm_axis) {
    op_request request = layer_norm();
    request.inputs = {make_unknown_lt(SRC_ID)};
    request.outputs = {make_unknown_lt(DST_ID), make_unknown_lt(MEAN_ID), make_unknown_lt(VARIANCE_ID)};
    const auto status_with = [&](int64_t axis, const dims &sizes = {2, 3, 4}) {
        return compile(with(request, AXIS, axis), {make_lt(SRC_ID, sizes)}, request.outputs);
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
    op_request request = with(layer_norm_backward(), AXIS, 1);
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
            op_request request = with(layer_norm(), AXIS, normalized_as_a_whole ? 0 : -1);
            request.inputs = {make_lt(SRC_ID, all), make_lt(GAMMA_ID, side), make_lt(BETA_ID, side)};
            request.outputs = {make_lt(DST_ID, all), make_unknown_lt(MEAN_ID), make_unknown_lt(VARIANCE_ID)};
            const bool fits = rank < JITNORM_MAX_NDIMS; // one may have to go before them
            EXPECT_EQ(compile(request), fits ? jitnorm_success : jitnorm_unimplemented) << "rank " << rank;
        }
}

// A failure leaves what was compiled before.
TEST(compile_errors, failures_change_nothing) {
    const compiled_op op(layer_norm());
    EXPECT_EQ(compile(op.partition.get(), op.handle.get(), {}, layer_norm().outputs), jitnorm_invalid_arguments);
    EXPECT_EQ(op.dims_of(DST_ID), (dims{2, 3, 4}));
    owned_compiled none;
    lt found;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&none, op.partition.get()));
    EXPECT_EQ(jitnorm_graph_compiled_partition_query_logical_tensor(none, DST_ID, &found), jitnorm_invalid_arguments);
}

TEST(compile_errors, reasons) {
    const op_request request = layer_norm();
    const auto reason_of = [&](size_t input, const lt &changed) {
        std::vector<lt> inputs = request.inputs;
        inputs[input] = changed;
        EXPECT_NE(compile(request, inputs, request.outputs), jitnorm_success);
        return std::string(jitnorm_get_last_error());
    };
    EXPECT_EQ(reason_of(1, make_unknown_lt(GAMMA_ID)),
              "the shape of gamma (tensor 11) is not known: inputs must be compiled with all their dimensions "
              "(jitnorm_graph_logical_tensor_init_with_dims)");
    EXPECT_EQ(reason_of(0, make_lt(99, {4})), "src (tensor 10) is missing");
    EXPECT_EQ(reason_of(1, make_lt(GAMMA_ID, {5})),
              "dimension 0 of gamma is 5, that of src's normalized axes is 4 (5 and 4)");
    EXPECT_EQ(reason_of(2, make_lt(BETA_ID, {1, 4})), "beta has 2 dimensions (1x4), src's normalized axes has 1 (4)");
    EXPECT_EQ(reason_of(0, make_lt(SRC_ID, {2, 5, 4})), "dimension 1 of dst is 3, that of src is 5 (2x3x4 and 2x5x4)");
    EXPECT_EQ(reason_of(1, make_lt(GAMMA_ID, {4}, jitnorm_bf16)), "gamma is bf16; the operation was made with f32");
    EXPECT_EQ(reason_of(0, make_strided_lt(SRC_ID, {2, 3, 4}, {12, 3, 1})),
              "src: strides[1] is 3 and makes elements overlap: the dimensions of smaller strides have elements at the "
              "distance 3, too");
    EXPECT_EQ(reason_of(0, make_strided_lt(SRC_ID, {2, 3, 4}, {12, -4, 1})),
              "src: strides[1] is -4, which is negative");
    EXPECT_EQ(reason_of(0, make_strided_lt(SRC_ID, {2, 3, 4}, {INT64_MAX / 2, 4, 1})),
              "src: the tensor is too large to be addressed");
}

// gamma of bf16 needs src of bf16; all other pairs are taken.
TEST(rms_norm, data_types) {
    const auto types = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8, jitnorm_data_type_undef};
    const auto is_taken = [](jitnorm_data_type_t type) {
        return type == jitnorm_f32 || type == jitnorm_bf16 || type == jitnorm_f16;
    };
    for (const auto src : types)
        for (const auto gamma : types)
            for (const auto dst : types) {
                op_request request = with_types(rms_norm(), src, gamma);
                request.outputs[0].data_type = dst;
                const bool right =
                    is_taken(src) && is_taken(gamma) && src == dst && (gamma != jitnorm_bf16 || src == jitnorm_bf16);
                EXPECT_EQ(request.add(), right ? jitnorm_success : jitnorm_invalid_graph_op)
                    << src << ' ' << gamma << ' ' << dst;
            }
}

TEST(rms_norm, is_supported_along_the_last_of_two_to_five_dimensions) {
    for (int rank = 1; rank <= 7; ++rank)
        for (int64_t axis = -rank; axis < rank; ++axis) {
            op_request request = with(rms_norm(), AXIS, axis);
            const dims all(size_t(rank), 2);
            request.inputs = {make_lt(SRC_ID, all)};
            request.outputs = {make_lt(DST_ID, all)};
            const bool expected = 2 <= rank && rank <= 5 && (axis == -1 || axis == rank - 1);
            EXPECT_EQ(request.partition().is_supported(), expected) << "rank " << rank << " axis " << axis;
            EXPECT_EQ(compile(request), expected ? jitnorm_success : jitnorm_invalid_arguments);
        }
    for (const int64_t axis : {-2, -1, 0, 2}) {
        op_request request = with(rms_norm(), AXIS, axis);
        request.inputs[0] = make_unknown_lt(SRC_ID);
        EXPECT_EQ(request.partition().is_supported(), axis == -1);
    }
}

TEST(rms_norm, shapes) {
    const op_request request = rms_norm();
    const lt src = request.inputs[0], gamma = request.inputs[1];
    EXPECT_OK(compile(request));
    for (const dims &right : {dims{}, {1}, {1, 4}, {1, 1, 4}, {1, 1, 1}, {1, 1}})
        EXPECT_OK(compile(request, {src, make_lt(GAMMA_ID, right)}, request.outputs));
    for (const dims &wrong : {dims{3}, {8}, {1, 1, 1, 4}, {3, 4}, {2, 3, 4}, {4, 1}, {0}})
        EXPECT_EQ(compile(request, {src, make_lt(GAMMA_ID, wrong)}, request.outputs), jitnorm_invalid_shape);
    EXPECT_EQ(compile(request, {src, gamma}, {make_lt(DST_ID, {2, 3, 5})}), jitnorm_invalid_shape);
    EXPECT_EQ(compile(request, {src}, request.outputs), jitnorm_invalid_arguments);
    EXPECT_EQ(compile(request, {make_unknown_lt(SRC_ID), gamma}, request.outputs), jitnorm_invalid_arguments);
    EXPECT_OK(compile(request, {src, gamma}, {make_unknown_lt(DST_ID)}));
}

} // namespace
} // namespace jitnorm::tests
