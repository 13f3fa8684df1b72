// SPDX-License-Identifier: Apache-2.0
// Descriptions that a public struct may hold and a tensor may not, strides of tensors without elements, and tensors
// that share memory.
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiled_op.hpp"

namespace jitnorm::tests {
namespace {

constexpr int64_t LARGEST = std::numeric_limits<int64_t>::max();
constexpr auto REFUSED = jitnorm_invalid_arguments;

// ---------------------------------------------------------------- numbers of dimensions

constexpr int BAD_RANKS[] = {JITNORM_MAX_NDIMS + 1, 1000, INT_MAX, -2, INT_MIN};

lt of_rank(int rank, jitnorm_graph_layout_type_t layout = jitnorm_graph_layout_type_strided) {
    lt t = make_lt(SRC_ID, {2, 3, 4}, jitnorm_f32, layout);
    t.ndims = rank;
    return t;
}

TEST(graph_ranks, are_refused_wherever_tensors_are_described) {
    const lt right = make_lt(SRC_ID, {2, 3, 4});
    float memory[24];
    for (const int rank : BAD_RANKS)
        for (const auto layout : {jitnorm_graph_layout_type_strided, jitnorm_graph_layout_type_any}) {
            SCOPED_TRACE(rank);
            const lt wrong = of_rank(rank, layout);
            uint8_t equal = 7;
            size_t size = 7;
            owned_tensor tensor;
            EXPECT_EQ(jitnorm_graph_logical_tensor_is_equal(&wrong, &wrong, &equal), REFUSED);
            EXPECT_EQ(jitnorm_graph_logical_tensor_is_equal(&right, &wrong, &equal), REFUSED);
            EXPECT_EQ(jitnorm_graph_logical_tensor_get_mem_size(&wrong, &size), REFUSED);
            EXPECT_EQ(jitnorm_graph_tensor_create(&tensor, &wrong, cpu(), JITNORM_MEMORY_ALLOCATE), REFUSED);
            EXPECT_EQ(jitnorm_graph_tensor_create(&tensor, &wrong, cpu(), memory), REFUSED);
            EXPECT_EQ(equal, 7);
            EXPECT_EQ(size, 7u);
            for (const auto kind : {jitnorm_graph_op_layer_norm, jitnorm_graph_op_add}) {
                owned_op op;
                EXPECT_OK(jitnorm_graph_op_create(&op, 1, kind, "wrong"));
                EXPECT_EQ(jitnorm_graph_op_add_input(op, &wrong), REFUSED);
                EXPECT_EQ(jitnorm_graph_op_add_output(op, &wrong), REFUSED);
            }
        }
}

// ---------------------------------------------------------------- strides that lead nowhere

// LayerNorm of all axes from `axis` on.
op_request layer_norm_of(const dims &sizes, const dims &strides, int64_t axis) {
    const dims rows(sizes.begin(), sizes.begin() + axis), row(sizes.begin() + axis, sizes.end());
    op_request request = layer_norm();
    request.inputs = {make_strided_lt(SRC_ID, sizes, strides), make_lt(GAMMA_ID, row), make_lt(BETA_ID, row)};
    request.outputs = {make_strided_lt(DST_ID, sizes, strides), make_lt(MEAN_ID, rows), make_lt(VARIANCE_ID, rows)};
    request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, axis}};
    return request;
}

void expect_statistics_of_nothing(const op_request &request, size_t rows) {
    execution e(request);
    for (const size_t i : {1, 2}) std::fill_n(e.outputs.data(i), rows, 5.F);
    ASSERT_OK(e.run());
    EXPECT_EQ(e.outputs.values(1, rows), std::vector<float>(rows, 0));
    for (const float variance : e.outputs.values(2, rows)) EXPECT_TRUE(std::isnan(variance));
}

// As frameworks compute them, and of any size.
TEST(graph_strides_without_elements, do_not_matter) {
    expect_statistics_of_nothing(layer_norm_of({3, 0}, {0, 1}, 1), 3);
    expect_statistics_of_nothing(layer_norm_of({3, 0, 4}, {0, 4, 1}, 1), 3);
    expect_statistics_of_nothing(layer_norm_of({3, 0}, {LARGEST, 1}, 1), 3);
    expect_statistics_of_nothing(layer_norm_of({2, 0}, {LARGEST, LARGEST}, 0), 1); // a dimension of 1 goes before
    expect_statistics_of_nothing(layer_norm_of({2, 3, 0, 2}, {LARGEST - 1, 0, LARGEST, LARGEST}, 2), 6);
}

TEST(graph_strides_without_elements, of_statistics_in_their_own_layouts) {
    op_request request = layer_norm_of({2, 3, 0}, {0, 0, 1}, 2);
    request.outputs[1] = make_strided_lt(MEAN_ID, {2, 3}, {1, 2});
    expect_statistics_of_nothing(request, 6);
}

TEST(graph_strides_without_elements, of_gradients) {
    for (const dims &strides : {dims{0, 1}, dims{LARGEST, LARGEST}}) {
        op_request request = layer_norm_backward();
        request.inputs = {make_strided_lt(SRC_ID, {0, 4}, strides), make_strided_lt(DIFF_DST_ID, {0, 4}, strides),
                          make_lt(MEAN_ID, {0}), make_lt(VARIANCE_ID, {0}), make_lt(GAMMA_ID, {4})};
        request.outputs[0] = make_strided_lt(DIFF_SRC_ID, {0, 4}, strides);
        execution e(request);
        for (const size_t i : {1, 2}) std::fill_n(e.outputs.data(i), 4, 5.F);
        ASSERT_OK(e.run());
        for (const size_t i : {1, 2}) EXPECT_EQ(e.outputs.values(i, 4), std::vector<float>(4, 0));
    }
}

// gamma passes through a copy (layout_adapter.cpp), which never steps along its dimension of one index.
TEST(graph_strides_of_one_index, mean_nothing_to_copies) {
    op_request request = layer_norm();
    request.inputs = {make_lt(SRC_ID, {2, 1, 4}), make_strided_lt(GAMMA_ID, {1, 4}, {LARGEST, 2}),
                      make_strided_lt(BETA_ID, {1, 4}, {LARGEST / 2, 3})};
    request.outputs = {make_lt(DST_ID, {2, 1, 4}), make_lt(MEAN_ID, {2}), make_lt(VARIANCE_ID, {2})};
    request.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, 1}};
    execution e(request);
    std::fill_n(e.inputs.data(0), 8, 2.F);
    std::fill_n(e.inputs.data(1), 7, 1.F);
    for (int i = 0; i < 10; ++i) e.inputs.data(2)[i] = float(i);
    ASSERT_OK(e.run());
    EXPECT_EQ(e.outputs.values(0, 8), (std::vector<float>{0, 3, 6, 9, 0, 3, 6, 9}));
}

TEST(graph_sizes, that_memory_cannot_have) {
    EXPECT_EQ(compile(layer_norm_of({0, int64_t(1) << 60}, {1, 1}, 1)), REFUSED);
    EXPECT_EQ(compile(layer_norm_of({int64_t(1) << 60, 0}, {1, 1}, 1)), REFUSED);
    EXPECT_EQ(compile(layer_norm_of({2, 3, 4}, {int64_t(1) << 58, 4, 1}, 2)), REFUSED);
}

// Each tensor, gamma and statistics among them.
TEST(graph_sizes, that_strides_of_no_memory_make) {
    for (const op_request &right : {layer_norm(), layer_norm_backward(), layer_norm_grad(), rms_norm()}) {
        EXPECT_OK(compile(right));
        for (const auto list : {&op_request::inputs, &op_request::outputs})
            for (size_t i = 0; i < (right.*list).size(); ++i) {
                op_request wrong = right;
                lt &t = (wrong.*list)[i];
                if (t.id == BETA_ID && right.kind != jitnorm_graph_op_layer_norm) continue; // not looked at
                t.layout.strides[0] = int64_t(1) << 58;
                EXPECT_EQ(compile(wrong), REFUSED) << t.id;
                EXPECT_STREQ(jitnorm_get_last_error() + std::strlen(jitnorm_get_last_error()) - 39,
                             "the tensor is too large to be addressed");
            }
    }
}

// ---------------------------------------------------------------- tensors that share memory

// Every output at the place of every other tensor, but for the pair that works in place, if there is one.
TEST(graph_aliases, are_refused) {
    op_request of_two_layouts = layer_norm();
    of_two_layouts.outputs[0] = make_strided_lt(DST_ID, {2, 3, 4}, {12, 1, 3});
    for (const op_request &request : {layer_norm(), of_two_layouts, layer_norm_backward(), layer_norm_grad()}) {
        execution e(request);
        const auto pairs = e.op.pairs();
        EXPECT_EQ(pairs.empty(), request.outputs[0].layout.strides[1] == 1);
        for (size_t o = 0; o < request.outputs.size(); ++o)
            for (const auto &[list, others] : {std::pair{&request.inputs, &e.inputs}, {&request.outputs, &e.outputs}})
                for (size_t i = 0; i < list->size(); ++i) {
                    const size_t output_id = request.outputs[o].id, other_id = (*list)[i].id;
                    if (output_id == other_id) continue;
                    if (other_id == BETA_ID && request.kind != jitnorm_graph_op_layer_norm) continue; // not looked at
                    const std::pair pair{other_id, output_id};
                    if (std::find(pairs.begin(), pairs.end(), pair) != pairs.end()) continue; // test_execution.cpp
                    EXPECT_EQ(e.run_with(e.outputs, o, e.op.query(output_id), others->data(i)), REFUSED)
                        << output_id << " " << other_id;
                }
        EXPECT_OK(e.run());
    }
}

TEST(graph_aliases, of_nothing_are_fine) {
    const op_request request = layer_norm_of({0, 4}, {4, 1}, 1);
    execution e(request);
    EXPECT_OK(e.run_with(e.outputs, 0, request.outputs[0], e.inputs.data(1)));
}

} // namespace
} // namespace jitnorm::tests
