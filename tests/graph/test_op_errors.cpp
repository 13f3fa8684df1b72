// SPDX-License-Identifier: Apache-2.0
// Adding an operation to a graph finds its mistakes: each rule of jitnorm_graph.h, broken once. Reasons name the wrong
// tensor or operation, its property and the expected one.
#include <cmath>

#include "graph_objects.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto KEEP_STATS = jitnorm_graph_op_attr_keep_stats, AXIS = jitnorm_graph_op_attr_begin_norm_axis,
               AFFINE = jitnorm_graph_op_attr_use_affine, EPSILON = jitnorm_graph_op_attr_epsilon;

void expect_wrong(const op_request &request) { EXPECT_EQ(request.add(), jitnorm_invalid_graph_op); }
void expect_right(const op_request &request) { EXPECT_OK(request.add()); }

std::vector<op_request> with_rms_norm() {
    std::vector<op_request> requests = all_operations();
    requests.push_back(rms_norm());
    return requests;
}

TEST(op_errors, number_of_inputs) {
    for (op_request request : with_rms_norm()) {
        request.inputs.push_back(make_lt(99, {4}));
        expect_wrong(request);
        request.inputs.clear();
        expect_wrong(request);
    }
    for (op_request request : {layer_norm(), rms_norm()})
        for (; !request.inputs.empty(); request.inputs.pop_back()) expect_right(request);
    op_request request = layer_norm_backward();
    for (; request.inputs.size() >= 4; request.inputs.pop_back()) expect_right(request);
    expect_wrong(request);
    request = layer_norm_grad();
    request.inputs.pop_back();
    expect_wrong(request);
}

// In oneDNN's backward the gradients of gamma and beta are optional.
TEST(op_errors, number_of_outputs) {
    for (op_request request : with_rms_norm()) {
        const size_t all = request.outputs.size();
        const bool has_optional = request.kind == jitnorm_graph_op_layer_norm_backward ||
                                  request.kind == jitnorm_graph_op_layer_norm_backprop;
        request.outputs.push_back(make_lt(99, {4}));
        expect_wrong(request);
        while (!request.outputs.empty()) {
            request.outputs.pop_back();
            if (request.outputs.size() == all) continue;
            has_optional && !request.outputs.empty() ? expect_right(request) : expect_wrong(request);
        }
    }
}

TEST(op_errors, outputs_as_attributes_say) {
    op_request forward = layer_norm();
    forward.outputs.resize(1);
    expect_right(with(forward, BOOLS, {{KEEP_STATS, 0}}));
    expect_wrong(with(forward, BOOLS, {{KEEP_STATS, 1}}));

    op_request backward = with(layer_norm_backward(), BOOLS, {{AFFINE, 0}});
    for (const size_t outputs : {3, 2, 1}) { // as oneDNN has it: of scales of one
        backward.outputs.resize(outputs);
        expect_right(backward);
    }
}

TEST(op_errors, data_types) {
    for (const auto data : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
        for (const op_request &request : all_operations()) expect_right(with_types(request, data, jitnorm_f32));
    for (const op_request &request : all_operations()) {
        expect_right(with_types(request, jitnorm_bf16, jitnorm_bf16));
        for (const auto data : {jitnorm_f64, jitnorm_s8, jitnorm_s32, jitnorm_data_type_undef})
            expect_wrong(with_types(request, data, jitnorm_f32));
        expect_wrong(with_types(request, jitnorm_f32, jitnorm_bf16));
        expect_wrong(with_types(request, jitnorm_f32, jitnorm_f64));
        expect_wrong(with_types(request, jitnorm_f32, jitnorm_data_type_undef));
    }
    for (const op_request &request : {layer_norm(), layer_norm_backward()}) {
        expect_wrong(with_types(request, jitnorm_f16, jitnorm_f16));
        expect_wrong(with_types(request, jitnorm_f16, jitnorm_bf16));
    }
    expect_right(with_types(layer_norm_grad(), jitnorm_f16, jitnorm_f16));
    expect_right(with_types(layer_norm_grad(), jitnorm_f16, jitnorm_bf16)); // of the width of the data
    expect_right(with_types(layer_norm_grad(), jitnorm_bf16, jitnorm_f16));
    expect_wrong(with_types(layer_norm_grad(), jitnorm_f32, jitnorm_f16)); // narrower
}

// Each tensor of its own with a type that the others of its group do not have; LayerNormGrad has groups of one.
TEST(op_errors, one_type_for_each_group) {
    for (const op_request &right : {layer_norm(), layer_norm_backward()}) {
        const op_request narrow = with_types(right, jitnorm_bf16, jitnorm_bf16);
        for (size_t i = 0; i < right.inputs.size() + right.outputs.size(); ++i) {
            op_request request = narrow;
            tensors_of(request)[i]->data_type = jitnorm_f32;
            expect_wrong(request);
        }
    }
}

TEST(op_errors, side_tensors_of_layer_norm_grad_are_free) {
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8}) {
        const bool is_taken = type != jitnorm_f64 && type != jitnorm_s8;
        for (const size_t id :
             {size_t(GAMMA_ID), size_t(MEAN_ID), size_t(VARIANCE_ID), size_t(DIFF_GAMMA_ID), size_t(DIFF_BETA_ID)}) {
            op_request request = with_types(layer_norm_grad(), jitnorm_bf16, jitnorm_bf16);
            for (lt *t : tensors_of(request))
                if (t->id == id) t->data_type = type;
            is_taken ? expect_right(request) : expect_wrong(request);
        }
    }
}

TEST(op_errors, masked_outputs_may_be_anything) {
    op_request request = layer_norm_grad();
    request.outputs[1].data_type = jitnorm_data_type_undef;
    expect_right(with(request, MASK, {1, 0, 1}));
    expect_wrong(with(request, MASK, {0, 1, 1}));
}

TEST(op_errors, attributes_of_other_operations) {
    expect_wrong(with(layer_norm_backward(), BOOLS, {{KEEP_STATS, 1}}));
    for (const auto name : {KEEP_STATS, AFFINE})
        for (const op_request &other : {layer_norm_grad(), rms_norm()}) expect_wrong(with(other, BOOLS, {{name, 1}}));
    expect_wrong(with(layer_norm_grad(), NUMBERS, {{AXIS, -1}}));
    for (const auto name : {jitnorm_graph_op_attr_axis, jitnorm_graph_op_attr_undef})
        expect_wrong(with(layer_norm(), NUMBERS, {{name, 1}}));
}

TEST(op_errors, attributes_of_another_type) {
    for (const op_request &right : {layer_norm(), layer_norm_backward()}) {
        for (const auto name : {AFFINE, EPSILON}) expect_wrong(with(right, NUMBERS, {{name, 1}}));
        expect_wrong(with(right, BOOLS, {{AXIS, 1}}));
        expect_wrong(with(right, FLOATS, {{AFFINE, 1.F}}));
    }
    const owned_op op = layer_norm().make();
    EXPECT_OK(jitnorm_graph_op_set_attr_str(op, EPSILON, "tiny", 4));
    owned_graph graph;
    EXPECT_OK(jitnorm_graph_graph_create(&graph, jitnorm_cpu));
    EXPECT_EQ(jitnorm_graph_add_op(graph, op), jitnorm_invalid_graph_op);
}

TEST(op_errors, epsilon) {
    for (const op_request &request : with_rms_norm()) {
        for (const float epsilon : {0.F, 1e-12F, 1.F}) expect_right(with(request, FLOATS, {{EPSILON, epsilon}}));
        for (const float epsilon : {-1e-12F, NAN, INFINITY}) expect_wrong(with(request, FLOATS, {{EPSILON, epsilon}}));
    }
}

TEST(op_errors, begin_norm_axis) {
    for (op_request request : {layer_norm(), layer_norm_backward(), rms_norm()}) {
        for (const int64_t axis : {-3, -1, 0, 2}) expect_right(with(request, NUMBERS, {{AXIS, axis}}));
        for (const int64_t axis : {int64_t(-4), int64_t(3), INT64_MIN, INT64_MAX})
            expect_wrong(with(request, NUMBERS, {{AXIS, axis}}));
        request.inputs[0] = make_unknown_lt(SRC_ID);
        expect_right(with(request, NUMBERS, {{AXIS, INT64_MAX}})); // a rank that is known at compilation
    }
}

TEST(op_errors, output_mask) {
    for (const std::vector<int64_t> &mask : {std::vector<int64_t>{0, 0, 0}, {1, 0, 1}})
        expect_right(with(layer_norm_grad(), MASK, mask));
    for (const std::vector<int64_t> &mask : {std::vector<int64_t>{1, 1}, {1, 1, 1, 1}, {-1, 0, 0}})
        expect_wrong(with(layer_norm_grad(), MASK, mask));
}

TEST(op_errors, numbers_of_values) {
    const owned_op op = layer_norm().make();
    const float f[2] = {};
    const int64_t i = 1;
    const uint8_t b[3] = {};
    EXPECT_EQ(jitnorm_graph_op_set_attr_f32(op, EPSILON, f, 2), jitnorm_invalid_arguments);
    const int64_t two[2] = {};
    EXPECT_EQ(jitnorm_graph_op_set_attr_s64(op, AXIS, &i, 0), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_op_set_attr_s64(op, jitnorm_graph_op_attr_axis, two, 2), jitnorm_invalid_arguments);
    EXPECT_OK(jitnorm_graph_op_set_attr_s64(op, jitnorm_graph_op_attr_axes, two, 2));
    EXPECT_EQ(jitnorm_graph_op_set_attr_bool(op, jitnorm_graph_op_attr_output_mask, b, 3), jitnorm_invalid_arguments);
    EXPECT_EQ(jitnorm_graph_op_set_attr_str(op, AFFINE, "x", 0), jitnorm_invalid_arguments);
    EXPECT_EQ(queried(jitnorm_graph_op_get_id, op), 1u);
    EXPECT_EQ(queried(jitnorm_graph_op_get_kind, op), jitnorm_graph_op_layer_norm);
}

// An attribute that is set again has the last value.
TEST(op_errors, attributes_are_set_anew) {
    const owned_op op = layer_norm().make();
    owned_graph graph;
    EXPECT_OK(jitnorm_graph_graph_create(&graph, jitnorm_cpu));
    float epsilon = -1;
    EXPECT_OK(jitnorm_graph_op_set_attr_f32(op, EPSILON, &epsilon, 1));
    EXPECT_EQ(jitnorm_graph_add_op(graph, op), jitnorm_invalid_graph_op);
    epsilon = 1;
    EXPECT_OK(jitnorm_graph_op_set_attr_f32(op, EPSILON, &epsilon, 1));
    EXPECT_OK(jitnorm_graph_add_op(graph, op));
}

TEST(op_errors, reasons) {
    constexpr auto OUTPUTS = &op_request::outputs;
    const auto of_type = [](op_request request, size_t input, jitnorm_data_type_t type) {
        request.inputs[input].data_type = type;
        return request;
    };
    const std::pair<op_request, const char *> cases[] = {
        {with(layer_norm(), OUTPUTS, {make_lt(DST_ID, {2, 3, 4})}), "LayerNorm with keep_stats has 3 outputs, not 1"},
        {with(layer_norm(), BOOLS, {{KEEP_STATS, 0}}), "LayerNorm without keep_stats has 1 output, not 3"},
        {with(layer_norm_backward(), OUTPUTS, {}), "LayerNormBackward has 1 to 3 outputs, not 0"},
        {of_type(layer_norm_backward(), 1, jitnorm_bf16), "src is f32 and diff_dst is bf16; they must have one type"},
        {of_type(layer_norm_backward(), 3, jitnorm_f16), "variance is f16; supported: f32, and bf16 if src is bf16"},
        {of_type(layer_norm_grad(), 0, jitnorm_bf16), "x is f32 and dy is bf16; they must have one type"},
        {of_type(layer_norm_grad(), 4, jitnorm_s8), "gamma is s8; supported: f32, bf16 and f16"},
        {with(layer_norm(), NUMBERS, {{AXIS, 3}}), "begin_norm_axis is 3; src has 3 dimensions"},
        {with(layer_norm(), MASK, {1, 1, 1}), "LayerNorm has no attribute 0x10000"},
        {with(layer_norm_grad(), MASK, {1, 2, 1}), "output_mask[1] is 2; 0 or 1 is expected"}};
    for (const auto &[request, reason] : cases) {
        EXPECT_EQ(request.add(), jitnorm_invalid_graph_op);
        EXPECT_STREQ(jitnorm_get_last_error(), reason);
    }
}

} // namespace
} // namespace jitnorm::tests
