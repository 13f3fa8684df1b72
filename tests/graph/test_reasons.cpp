// SPDX-License-Identifier: Apache-2.0
// Reasons name the wrong tensor or operation, its property and the expected one.
#include <string>

#include "compiled_op.hpp"

namespace jitnorm::tests {
namespace {

TEST(reasons, of_operations) {
    constexpr auto OUTPUTS = &op_request::outputs;
    const auto of_type = [](op_request request, size_t input, jitnorm_data_type_t type) {
        request.inputs[input].data_type = type;
        return request;
    };
    const std::pair<op_request, const char *> cases[] = {
        {with(layer_norm(), OUTPUTS, {make_lt(DST_ID, {2, 3, 4})}), "LayerNorm with keep_stats has 3 outputs, not 1"},
        {with(layer_norm(), BOOLS, {{jitnorm_graph_op_attr_keep_stats, 0}}),
         "LayerNorm without keep_stats has 1 output, not 3"},
        {with(layer_norm_backward(), OUTPUTS, {}), "LayerNormBackward has 1 to 3 outputs, not 0"},
        {of_type(layer_norm_backward(), 1, jitnorm_bf16), "src is f32 and diff_dst is bf16; they must have one type"},
        {of_type(layer_norm_backward(), 3, jitnorm_f16), "variance is f16; supported: f32, and bf16 if src is bf16"},
        {of_type(layer_norm_grad(), 0, jitnorm_bf16), "x is f32 and dy is bf16; they must have one type"},
        {of_type(layer_norm_grad(), 4, jitnorm_s8), "gamma is s8; supported: f32, bf16 and f16"},
        {with(layer_norm(), NUMBERS, {{jitnorm_graph_op_attr_begin_norm_axis, 3}}),
         "begin_norm_axis is 3; src has 3 dimensions"},
        {with(layer_norm(), MASK, {1, 1, 1}), "LayerNorm has no attribute 0x10000"},
        {with(layer_norm_grad(), MASK, {1, 2, 1}), "output_mask[1] is 2; 0 or 1 is expected"}};
    for (const auto &[request, reason] : cases) {
        EXPECT_EQ(request.add(), jitnorm_invalid_graph_op);
        EXPECT_STREQ(jitnorm_get_last_error(), reason);
    }
}

TEST(reasons, of_compilation) {
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

TEST(reasons, of_shared_memory) {
    const op_request request = layer_norm();
    execution e(request);
    const auto reason_at_mean = [&](size_t input) {
        EXPECT_EQ(e.run_with(e.inputs, input, request.inputs[input], e.outputs.data(1)), jitnorm_invalid_arguments);
        return std::string(jitnorm_get_last_error());
    };
    EXPECT_EQ(reason_at_mean(0), "mean is an output and has the memory of src");
    EXPECT_EQ(reason_at_mean(1), "mean is an output and has the memory of scale");
}

} // namespace
} // namespace jitnorm::tests
