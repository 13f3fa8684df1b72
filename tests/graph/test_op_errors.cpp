// SPDX-License-Identifier: Apache-2.0
// Adding an operation to a graph finds its mistakes: each rule of jitnorm_graph.h, broken once. Reasons name the wrong
// tensor or operation, its property and the expected one.
#include <cmath>

#include "graph_objects.hpp"

namespace jitnorm::tests {
namespace {

void expect(const op_request &request, bool is_right) {
    EXPECT_EQ(request.add(), is_right ? jitnorm_success : jitnorm_invalid_graph_op)
        << "operation " << request.kind << " with " << request.inputs.size() << " inputs of "
        << request.inputs.front().data_type << " and " << request.inputs.back().data_type;
}
void expect_wrong(const op_request &request) { expect(request, false); }
void expect_right(const op_request &request) { expect(request, true); }

std::vector<op_request> with_rms_norm() {
    std::vector<op_request> requests = all_operations();
    requests.push_back(rms_norm());
    return requests;
}

// In oneDNN's backward the gradients of gamma and beta are optional.
TEST(op_errors, numbers_of_inputs_and_outputs) {
    const struct {
        op_request all;
        size_t least_inputs, least_outputs;
    } cases[] = {{layer_norm(), 1, 3},
                 {layer_norm_backward(), 4, 1},
                 {layer_norm_backward(jitnorm_graph_op_layer_norm_backprop), 4, 1},
                 {layer_norm_grad(), 5, 3},
                 {rms_norm(), 1, 1}};
    for (const auto &[all, least_inputs, least_outputs] : cases) {
        for (op_request request = all; !request.inputs.empty(); request.inputs.pop_back())
            expect(request, request.inputs.size() >= least_inputs);
        for (op_request request = all; !request.outputs.empty(); request.outputs.pop_back())
            expect(request, request.outputs.size() >= least_outputs);
        for (const auto list : {&op_request::inputs, &op_request::outputs}) {
            op_request none = all, more = all;
            (none.*list).clear();
            (more.*list).push_back(make_lt(99, {4}));
            EXPECT_EQ(none.add(), jitnorm_invalid_graph_op) << "operation " << all.kind;
            EXPECT_EQ(more.add(), jitnorm_invalid_graph_op) << "operation " << all.kind;
        }
    }
}

TEST(op_errors, outputs_as_attributes_say) {
    op_request forward = layer_norm();
    forward.outputs.resize(1);
    expect_right(with(forward, KEEP_STATS, false));
    expect_wrong(with(forward, KEEP_STATS, true));

    op_request backward = with(layer_norm_backward(), AFFINE, false);
    for (const size_t outputs : {3, 2, 1}) { // as oneDNN has it: of scales of one
        backward.outputs.resize(outputs);
        expect_right(backward);
    }
}

// LayerNormGrad takes any tensors beside the data that are not narrower than these; the others take those of bf16 with
// data of bf16.
TEST(op_errors, data_types) {
    const auto f32 = jitnorm_f32, bf16 = jitnorm_bf16, f16 = jitnorm_f16;
    for (const op_request &request : all_operations())
        for (const auto data : {f32, bf16, f16, jitnorm_f64, jitnorm_s8, jitnorm_s32, jitnorm_data_type_undef})
            for (const auto side : {f32, bf16, f16, jitnorm_f64, jitnorm_data_type_undef}) {
                const bool is_grad = request.kind == jitnorm_graph_op_layer_norm_grad;
                const bool is_narrow = is_grad ? (data == bf16 || data == f16) && (side == bf16 || side == f16)
                                               : data == bf16 && side == bf16;
                const bool is_wide = side == f32 && (data == f32 || data == bf16 || data == f16);
                expect(with_types(request, data, side), is_wide || is_narrow);
            }
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
        for (const size_t id : {GAMMA_ID, MEAN_ID, VARIANCE_ID, DIFF_GAMMA_ID, DIFF_BETA_ID}) {
            op_request request = with_types(layer_norm_grad(), jitnorm_bf16, jitnorm_bf16);
            for (lt *t : tensors_of(request))
                if (t->id == id) t->data_type = type;
            expect(request, type != jitnorm_f64 && type != jitnorm_s8);
        }
    }
}

TEST(op_errors, masked_outputs_may_be_anything) {
    op_request request = layer_norm_grad();
    request.outputs[1].data_type = jitnorm_data_type_undef;
    expect_right(with(request, MASK, dims{1, 0, 1}));
    expect_wrong(with(request, MASK, dims{0, 1, 1}));
}

TEST(op_errors, attributes_of_other_operations) {
    expect_wrong(with(layer_norm_backward(), KEEP_STATS, true));
    for (const auto name : {KEEP_STATS, AFFINE})
        for (const op_request &other : {layer_norm_grad(), rms_norm()}) expect_wrong(with(other, name, true));
    expect_wrong(with(layer_norm_grad(), AXIS, -1));
    for (const auto name : {jitnorm_graph_op_attr_axis, jitnorm_graph_op_attr_undef})
        expect_wrong(with(layer_norm(), name, 1));
}

TEST(op_errors, attributes_of_another_type) {
    for (const op_request &right : {layer_norm(), layer_norm_backward()}) {
        for (const auto name : {AFFINE, EPSILON}) expect_wrong(with(right, name, 1));
        expect_wrong(with(right, AXIS, true));
        expect_wrong(with(right, AFFINE, 1.F));
        expect_wrong(with(right, EPSILON, std::string("tiny")));
    }
}

TEST(op_errors, epsilon) {
    for (const op_request &request : with_rms_norm()) {
        for (const float epsilon : {0.F, 1e-12F, 1.F}) expect_right(with(request, EPSILON, epsilon));
        for (const float epsilon : {-1e-12F, NAN, INFINITY}) expect_wrong(with(request, EPSILON, epsilon));
    }
}

TEST(op_errors, begin_norm_axis) {
    for (op_request request : {layer_norm(), layer_norm_backward(), rms_norm()}) {
        for (const int64_t axis : {-3, -1, 0, 2}) expect_right(with(request, AXIS, axis));
        for (const int64_t axis : {int64_t(-4), int64_t(3), INT64_MIN, INT64_MAX})
            expect_wrong(with(request, AXIS, axis));
        request.inputs[0] = make_unknown_lt(SRC_ID);
        expect_right(with(request, AXIS, INT64_MAX)); // a rank that is known at compilation
    }
}

TEST(op_errors, output_mask) {
    for (const dims &mask : {dims{0, 0, 0}, {1, 0, 1}}) expect_right(with(layer_norm_grad(), MASK, mask));
    for (const dims &mask : {dims{1, 1}, {1, 1, 1, 1}, {-1, 0, 0}}) expect_wrong(with(layer_norm_grad(), MASK, mask));
}

TEST(op_errors, numbers_of_values) {
    const graph::op made = layer_norm().make();
    const auto op = made.get();
    const auto refused = jitnorm_invalid_arguments;
    const float numbers[2] = {};
    const int64_t integers[2] = {};
    const uint8_t bools[3] = {};
    EXPECT_EQ(jitnorm_graph_op_set_attr_f32(op, EPSILON, numbers, 2), refused);
    EXPECT_EQ(jitnorm_graph_op_set_attr_s64(op, AXIS, integers, 0), refused);
    EXPECT_EQ(jitnorm_graph_op_set_attr_s64(op, jitnorm_graph_op_attr_axis, integers, 2), refused);
    EXPECT_OK(jitnorm_graph_op_set_attr_s64(op, jitnorm_graph_op_attr_axes, integers, 2));
    EXPECT_EQ(jitnorm_graph_op_set_attr_bool(op, MASK, bools, 3), refused);
    EXPECT_EQ(jitnorm_graph_op_set_attr_str(op, AFFINE, "x", 0), refused);
    EXPECT_EQ(queried(jitnorm_graph_op_get_id, op), 1u);
    EXPECT_EQ(queried(jitnorm_graph_op_get_kind, op), jitnorm_graph_op_layer_norm);
}

TEST(op_errors, an_attribute_that_is_set_again_has_the_last_value) {
    const op_request wrong = with(layer_norm(), EPSILON, -1.F);
    expect_wrong(wrong);
    expect_right(with(wrong, EPSILON, 1.F));
}

TEST(op_errors, reasons) {
    const auto with_outputs = [](op_request request, const std::vector<lt> &outputs) {
        request.outputs = outputs;
        return request;
    };
    const auto of_type = [](op_request request, size_t input, jitnorm_data_type_t type) {
        request.inputs[input].data_type = type;
        return request;
    };
    const std::pair<op_request, const char *> cases[] = {
        {with_outputs(layer_norm(), {make_lt(DST_ID, {2, 3, 4})}), "LayerNorm with keep_stats has 3 outputs, not 1"},
        {with(layer_norm(), KEEP_STATS, false), "LayerNorm without keep_stats has 1 output, not 3"},
        {with_outputs(layer_norm_backward(), {}), "LayerNormBackward has 1 to 3 outputs, not 0"},
        {of_type(layer_norm_backward(), 1, jitnorm_bf16), "src is f32 and diff_dst is bf16; they must have one type"},
        {of_type(layer_norm_backward(), 3, jitnorm_f16), "variance is f16; supported: f32, and bf16 if src is bf16"},
        {of_type(layer_norm_grad(), 0, jitnorm_bf16), "x is f32 and dy is bf16; they must have one type"},
        {of_type(layer_norm_grad(), 4, jitnorm_s8), "gamma is s8; supported: f32, bf16 and f16"},
        {with(layer_norm(), AXIS, 3), "begin_norm_axis is 3; src has 3 dimensions"},
        {with(layer_norm(), MASK, dims{1, 1, 1}), "LayerNorm has no attribute 0x10000"},
        {with(layer_norm_grad(), MASK, dims{1, 2, 1}), "output_mask[1] is 2; 0 or 1 is expected"}};
    for (const auto &[request, reason] : cases) {
        EXPECT_EQ(request.add(), jitnorm_invalid_graph_op);
        EXPECT_STREQ(jitnorm_get_last_error(), reason);
    }
}

} // namespace
} // namespace jitnorm::tests
