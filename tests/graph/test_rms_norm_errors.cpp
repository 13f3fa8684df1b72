// SPDX-License-Identifier: Apache-2.0
// RMSNorm: the types, axes and shapes that are taken, refused, and not supported.
#include <cmath>

#include "graph_objects.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto AXIS = jitnorm_graph_op_attr_begin_norm_axis;
constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};

op_request with_types(jitnorm_data_type_t src, jitnorm_data_type_t gamma, jitnorm_data_type_t dst) {
    op_request request = rms_norm();
    request.inputs[0].data_type = src;
    request.inputs[1].data_type = gamma;
    request.outputs[0].data_type = dst;
    return request;
}

// gamma of bf16 needs src of bf16; all other pairs are taken.
TEST(rms_norm, data_types) {
    for (const auto src : DATA_TYPES)
        for (const auto gamma : DATA_TYPES)
            for (const auto dst : DATA_TYPES) {
                const bool right = src == dst && (gamma != jitnorm_bf16 || src == jitnorm_bf16);
                EXPECT_EQ(with_types(src, gamma, dst).add(), right ? jitnorm_success : jitnorm_invalid_graph_op);
            }
    for (const auto odd : {jitnorm_f64, jitnorm_s8, jitnorm_data_type_undef}) {
        EXPECT_EQ(with_types(odd, jitnorm_f32, odd).add(), jitnorm_invalid_graph_op);
        EXPECT_EQ(with_types(jitnorm_f32, odd, jitnorm_f32).add(), jitnorm_invalid_graph_op);
    }
}

TEST(rms_norm, is_supported_along_the_last_of_two_to_five_dimensions) {
    for (int rank = 1; rank <= 7; ++rank)
        for (int64_t axis = -rank; axis < rank; ++axis) {
            op_request request = rms_norm();
            const dims all(size_t(rank), 2);
            request.inputs = {make_lt(SRC_ID, all)};
            request.outputs = {make_lt(DST_ID, all)};
            request.numbers = {{AXIS, axis}};
            const bool expected = 2 <= rank && rank <= 5 && (axis == -1 || axis == rank - 1);
            EXPECT_EQ(is_supported(request.partition()), expected) << "rank " << rank << " axis " << axis;
            EXPECT_EQ(compile(request), expected ? jitnorm_success : jitnorm_invalid_arguments);
        }
    for (const int64_t axis : {-2, -1, 0, 2}) {
        op_request request = with(rms_norm(), NUMBERS, {{AXIS, axis}});
        request.inputs[0] = make_unknown_lt(SRC_ID);
        EXPECT_EQ(is_supported(request.partition()), axis == -1);
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
