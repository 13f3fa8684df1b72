// SPDX-License-Identifier: Apache-2.0
// The graphs' adapter for the contract of every front end (support/contract.hpp), and structs that describe no tensor.
#include <algorithm>
#include <climits>

#include "graph_objects.hpp"
#include "support/contract.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto REFUSED = jitnorm_invalid_arguments;

// Strided gamma, so that compiled partitions copy.
op_request strided_request() {
    op_request request = layer_norm();
    request.inputs[1] = make_strided_lt(GAMMA_ID, {4}, {3});
    return request;
}

jitnorm_status_t create_with_input(jitnorm_graph_op_t *made, const lt &input) {
    const auto kind = jitnorm_graph_op_layer_norm;
    const jitnorm_status_t status = jitnorm_graph_op_create(made, 1, kind, "a name too long to be kept in place");
    return status == jitnorm_success ? jitnorm_graph_op_add_input(*made, &input) : status;
}

jitnorm_status_t create_compiled(jitnorm_graph_compiled_partition_t *made, jitnorm_graph_partition_t partition,
                                 std::vector<const lt *> &ins, std::vector<const lt *> &outs) {
    const jitnorm_status_t status = jitnorm_graph_compiled_partition_create(made, partition);
    if (status != jitnorm_success) return status;
    return jitnorm_graph_partition_compile(partition, *made, ins.size(), ins.data(), outs.size(), outs.data(), cpu());
}

std::vector<creation> creations() {
    static const op_request request = strided_request();
    static const graph::op op = request.make();
    static const graph::partition partition = request.partition();
    static std::vector<const lt *> ins = pointers_to(request.inputs), outs = pointers_to(request.outputs);
    return {
        CREATES(owned_op, create_with_input(made, request.inputs[0])),
        CREATES(owned_graph, jitnorm_graph_graph_create(made, jitnorm_cpu)),
        CREATES(owned_partition, jitnorm_graph_partition_create_with_op(made, op.get(), jitnorm_cpu)),
        CREATES(owned_tensor, jitnorm_graph_tensor_create(made, &request.inputs[0], cpu(), JITNORM_MEMORY_ALLOCATE)),
        CREATES(owned_compiled, create_compiled(made, partition.get(), ins, outs))};
}

ready_call call_of(const op_request &request) {
    constexpr size_t BYTES = 1024; // of each buffer
    const auto e = std::make_shared<execution>(request);
    ready_call call = {.name = "operation " + std::to_string(request.kind), .has_scratchpad = false};
    std::vector<size_t> ids;
    for (const bool is_output : {false, true})
        for (const lt &t : is_output ? request.outputs : request.inputs) {
            const bool is_beta_of_backward = t.id == BETA_ID && request.kind != jitnorm_graph_op_layer_norm;
            EXPECT_LE(bytes_of(e->op.query(t.id)), BYTES);
            ids.push_back(t.id);
            call.tensors.push_back({std::to_string(t.id),
                                    is_output             ? '>'
                                    : is_beta_of_backward ? '-'
                                                          : '<',
                                    numbers(BYTES, unsigned(ids.size()))});
        }
    const auto place_of = [&](size_t id) { return size_t(std::ranges::find(ids, id) - ids.begin()); };
    for (const auto &[input, output] : e->op.handle.get_inplace_ports())
        call.in_place.emplace(place_of(input), place_of(output));
    EXPECT_EQ(call.in_place.empty(), request.outputs[0].layout.strides[1] == 1);
    call.bind = [e](std::vector<buffer> &buffers, const std::vector<size_t> &places) -> std::function<int()> {
        std::vector<graph::tensor> tensors = e->inputs.tensors;
        tensors.insert(tensors.end(), e->outputs.tensors.begin(), e->outputs.tensors.end());
        for (size_t i = 0; i < tensors.size(); ++i) tensors[i].set_data_handle(buffers[places[i]].data());
        return [e] { return e->run(); };
    };
    return call;
}

// LayerNorm of all axes from `axis` on.
op_request layer_norm_of(const dims &sizes, const dims &strides, int64_t axis) {
    const dims rows(sizes.begin(), sizes.begin() + axis), row(sizes.begin() + axis, sizes.end());
    op_request request = layer_norm();
    request.inputs = {make_strided_lt(SRC_ID, sizes, strides), make_lt(GAMMA_ID, row), make_lt(BETA_ID, row)};
    request.outputs = {make_strided_lt(DST_ID, sizes, strides), make_lt(MEAN_ID, rows), make_lt(VARIANCE_ID, rows)};
    return with(request, AXIS, axis);
}

// Each tensor with too large strides, gamma and statistics among them, and sizes that no memory has.
std::vector<refusal> refusals() {
    std::vector<refusal> all;
    const auto add = [&](const char *reason, const op_request &request) {
        all.push_back({testing::PrintToString(all.size()), REFUSED, reason, [=] { return compile(request); }});
    };
    add("", layer_norm_of({0, int64_t(1) << 60}, {1, 1}, 1));
    add("", layer_norm_of({int64_t(1) << 60, 0}, {1, 1}, 1));
    add("", layer_norm_of({2, 3, 4}, {int64_t(1) << 58, 4, 1}, 2));
    for (const op_request &right : {layer_norm(), layer_norm_backward(), layer_norm_grad(), rms_norm()}) {
        EXPECT_OK(compile(right));
        for (size_t i = 0; i < right.inputs.size() + right.outputs.size(); ++i) {
            op_request wrong = right;
            lt &t = *tensors_of(wrong)[i];
            if (t.id == BETA_ID && right.kind != jitnorm_graph_op_layer_norm) continue; // not looked at
            t.layout.strides[0] = int64_t(1) << 58;
            add("the tensor is too large to be addressed", wrong);
        }
    }
    return all;
}

// By execution with fives in the outputs that are looked at, the second and the third.
written results_of_nothing(const op_request &request, size_t count) {
    execution e(request);
    for (const size_t i : {1, 2}) std::fill_n(e.outputs.data(i), count, 5.F);
    EXPECT_OK(e.run());
    const std::vector<float> one = e.outputs.values(1, count), other = e.outputs.values(2, count);
    written found = {{one.begin(), one.end()}, {}};
    const bool is_forward = request.kind == jitnorm_graph_op_layer_norm;
    auto &second = is_forward ? found.nans : found.zeros;
    second.insert(second.end(), other.begin(), other.end());
    return found;
}

std::vector<empty_case> empty_cases() {
    std::vector<empty_case> all;
    const auto add = [&](const char *what, const op_request &request, size_t count) {
        all.push_back({what, [=] { return results_of_nothing(request, count); }});
    };
    add("as frameworks compute them", layer_norm_of({3, 0}, {0, 1}, 1), 3);
    add("as frameworks compute them, two axes", layer_norm_of({3, 0, 4}, {0, 4, 1}, 1), 3);
    add("the largest", layer_norm_of({3, 0}, {LARGEST, 1}, 1), 3);
    add("a dimension of 1 goes before", layer_norm_of({2, 0}, {LARGEST, LARGEST}, 0), 1);
    add("of each dimension", layer_norm_of({2, 3, 0, 2}, {LARGEST - 1, 0, LARGEST, LARGEST}, 2), 6);
    op_request other_layouts = layer_norm_of({2, 3, 0}, {0, 0, 1}, 2);
    other_layouts.outputs[1] = make_strided_lt(MEAN_ID, {2, 3}, {1, 2});
    add("statistics in their own layouts", other_layouts, 6);
    for (const dims &strides : {dims{0, 1}, dims{LARGEST, LARGEST}}) {
        op_request request = layer_norm_backward();
        request.inputs = {make_strided_lt(SRC_ID, {0, 4}, strides), make_strided_lt(DIFF_DST_ID, {0, 4}, strides),
                          make_lt(MEAN_ID, {0}), make_lt(VARIANCE_ID, {0}), make_lt(GAMMA_ID, {4})};
        request.outputs[0] = make_strided_lt(DIFF_SRC_ID, {0, 4}, strides);
        add("gradients", request, 4);
    }
    return all;
}

// gamma passes through a copy (layout_adapter.cpp), which never steps along its dimension of one index.
TEST(strides, of_one_index_mean_nothing_to_copies) {
    op_request request = layer_norm();
    request.inputs = {make_lt(SRC_ID, {2, 1, 4}), make_strided_lt(GAMMA_ID, {1, 4}, {LARGEST, 2}),
                      make_strided_lt(BETA_ID, {1, 4}, {LARGEST / 2, 3})};
    request.outputs = {make_lt(DST_ID, {2, 1, 4}), make_lt(MEAN_ID, {2}), make_lt(VARIANCE_ID, {2})};
    execution e(with(request, AXIS, 1));
    std::fill_n(e.inputs.data(0), 8, 2.F);
    std::fill_n(e.inputs.data(1), 7, 1.F);
    for (int i = 0; i < 10; ++i) e.inputs.data(2)[i] = float(i);
    ASSERT_OK(e.run());
    EXPECT_EQ(e.outputs.values(0, 8), (std::vector<float>{0, 3, 6, 9, 0, 3, 6, 9}));
}

TEST(aliases, of_nothing_are_fine) {
    const op_request request = layer_norm_of({0, 4}, {4, 1}, 1);
    execution e(request);
    EXPECT_OK(e.run_with(e.outputs, 0, request.outputs[0], e.inputs.data(1)));
}

constexpr int BAD_RANKS[] = {JITNORM_MAX_NDIMS + 1, 1000, INT_MAX, -2, INT_MIN};

TEST(ranks, are_refused_wherever_tensors_are_described) {
    const lt right = make_lt(SRC_ID, {2, 3, 4});
    float memory[24];
    for (const int rank : BAD_RANKS)
        for (const auto layout : {jitnorm_graph_layout_type_strided, jitnorm_graph_layout_type_any}) {
            SCOPED_TRACE(rank);
            lt wrong = make_lt(SRC_ID, {2, 3, 4}, jitnorm_f32, layout);
            wrong.ndims = rank;
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

} // namespace

front_end adapter() {
    op_request of_two_layouts = layer_norm();
    of_two_layouts.outputs[0] = make_strided_lt(DST_ID, {2, 3, 4}, {12, 1, 3});
    std::vector<std::function<ready_call()>> calls;
    for (const op_request &request :
         {strided_request(), layer_norm(), of_two_layouts, layer_norm_backward(), layer_norm_grad()})
        calls.push_back([=] { return call_of(request); });
    return {"graph,exec,cpu,requested,", creations(), REFUSED, calls, false, refusals(), empty_cases()};
}

} // namespace jitnorm::tests
