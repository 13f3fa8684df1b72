// SPDX-License-Identifier: Apache-2.0
// What the operations' specifications leave open of gamma, beta and their gradients: which are there, and which shape.
#include "compiled_op.hpp"

namespace jitnorm::tests {
namespace {

std::vector<float> floats_of(const bound &tensors, size_t i, size_t count) {
    const auto *data = static_cast<const float *>(tensors.data(i));
    return {data, data + count};
}

// The gradients of gamma and beta are optional: what is there has the same bits.
TEST(sides, gradients_that_are_left_out) {
    const auto run = [](size_t outputs, bool use_affine) {
        op_request request = layer_norm_backward();
        request.outputs.resize(outputs);
        request.bools = {{jitnorm_graph_op_attr_use_affine, use_affine}};
        const compiled_op op(request);
        const bound ins(op, request.inputs), outs(op, request.outputs);
        ins.fill(24);
        EXPECT_OK(execute(op, ins, outs));
        std::vector<std::vector<float>> all;
        for (size_t i = 0; i < outputs; ++i) all.push_back(floats_of(outs, i, i == 0 ? 24 : 4));
        return all;
    };
    for (const bool use_affine : {true, false}) {
        const auto whole = run(3, use_affine);
        for (const size_t outputs : {1, 2})
            EXPECT_EQ(run(outputs, use_affine), std::vector(whole.begin(), whole.begin() + std::ptrdiff_t(outputs)));
    }
}

bool is_side(const lt &t) {
    return t.id == GAMMA_ID || t.id == BETA_ID || t.id == DIFF_GAMMA_ID || t.id == DIFF_BETA_ID;
}

// The results with gamma, beta and their gradients of this shape, for the two last axes of 2 x 3 x 4, which are 12
// elements.
std::vector<float> run_with_sides(op_request request, const dims &shape, const dims &strides) {
    const auto step = size_t(strides.back());
    request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, 1}};
    for (std::vector<lt> *list : {&request.inputs, &request.outputs})
        for (lt &t : *list) {
            if (is_side(t)) t = make_strided_lt(t.id, shape, strides);
            if (t.id == MEAN_ID || t.id == VARIANCE_ID) t = make_lt(t.id, {2});
        }
    const compiled_op op(request);
    const bound ins(op, request.inputs), outs(op, request.outputs);
    ins.fill(24);
    for (size_t i = 0; i < request.inputs.size(); ++i)
        for (size_t e = 0; is_side(request.inputs[i]) && e < 12; ++e)
            static_cast<float *>(ins.data(i))[e * step] = 1 + float(e * i % 7);
    EXPECT_OK(execute(op, ins, outs));
    EXPECT_EQ(op.dims_of(GAMMA_ID), shape) << "queries answer what was given";
    std::vector<float> all = floats_of(outs, 0, 24);
    for (size_t i = 0; i < request.outputs.size(); ++i)
        for (size_t e = 0; is_side(request.outputs[i]) && e < 12; ++e)
            all.push_back(floats_of(outs, i, e * step + 1).back());
    return all;
}

TEST(sides, may_be_vectors_of_several_axes) {
    for (const op_request &request : {layer_norm(), layer_norm_backward()}) {
        const std::vector<float> expected = run_with_sides(request, {3, 4}, {4, 1});
        EXPECT_EQ(run_with_sides(request, {12}, {1}), expected);
        EXPECT_EQ(run_with_sides(request, {12}, {3}), expected);
    }
}

TEST(sides, of_another_number_of_elements_are_refused) {
    op_request request = layer_norm_backward();
    request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, 1}};
    request.inputs[2] = make_lt(MEAN_ID, {2});
    request.inputs[3] = make_lt(VARIANCE_ID, {2});
    for (const size_t i : {0, 1}) request.outputs[1 + i] = make_lt(DIFF_GAMMA_ID + i, {12});
    request.inputs[4] = make_lt(GAMMA_ID, {12});
    EXPECT_OK(compile(request));
    request.inputs[4] = make_lt(GAMMA_ID, {11});
    EXPECT_EQ(compile(request), jitnorm_invalid_shape);
    request.inputs[4] = make_strided_lt(GAMMA_ID, {12}, {INT64_MAX / 4});
    EXPECT_EQ(compile(request), jitnorm_invalid_arguments);
}

} // namespace
} // namespace jitnorm::tests
