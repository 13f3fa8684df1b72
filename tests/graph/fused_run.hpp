// SPDX-License-Identifier: Apache-2.0
// fused_run: a normalization with operations around it, executed, and the same step by step.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "fused_graph.hpp"

namespace jitnorm::tests {

using enum op::kind;
using floats = std::vector<float>;
using function = std::function<float(float)>;
using combination = std::function<float(float, float)>;

constexpr float EPSILON = 0.0625F;
// src, or its sum with another tensor; then src has another number.
constexpr size_t SRC_ID = 10, OTHER_ID = 20, SECOND_ID = 21, X1_ID = 1, X2_ID = 2;

// The tensor that is added to src before the normalization.
struct addition {
    shape dims;
    jitnorm_data_type_t type = jitnorm_f32;
    bool is_kept = true, is_swapped = false; // somebody else reads the sum; src is the second operand
};

struct fused_case {
    op::kind norm = LayerNorm;
    shape dims = {5, 33};
    jitnorm_data_type_t type = jitnorm_f32;
    std::vector<link> links = {};
    jitnorm_data_type_t dst_type = jitnorm_f32;
    shape other_dims = {}; // of the second operand of the links that have one
    std::string layout = "dense", other_layout = "dense";
    jitnorm_data_type_t other_type = jitnorm_f32;
    shape second_dims = {}; // of another such operand
    jitnorm_data_type_t second_type = jitnorm_f32;
    bool has_affine = true;
    std::optional<addition> added = {};

    jitnorm_data_type_t sum_type() const { return added && added->type == type ? type : jitnorm_f32; }
};

inline floats as_floats(const std::vector<double> &values) { return {values.begin(), values.end()}; }

inline void set_epsilon(op &o) { o.set_attr<float>(op::attr::epsilon, EPSILON); }

inline floats rounded(const floats &values, jitnorm_data_type_t type) {
    const graph_tensor t = graph_tensor(1, {dim_t(values.size())}, type).filled({values.begin(), values.end()});
    return as_floats(t.data.values());
}

// Tensors of a case, run as the fused partition, or step by step.
struct fused_execution {
    fused_case c;
    graph_tensor src, gamma, beta, other, second, added, sum, dst;

    explicit fused_execution(const fused_case &what)
        : c(what), src(made(c.added ? X1_ID : SRC_ID, c.dims, c.type, c.layout, 0.5, 1)),
          gamma(made(11, {c.dims.back()}, jitnorm_f32, "dense", 1, 0.5)),
          beta(made(12, {c.dims.back()}, jitnorm_f32, "dense", 0.2, 0.5)),
          other(made(OTHER_ID, c.other_dims, c.other_type, c.other_layout, 1.5, 0.25)),
          second(made(SECOND_ID, c.second_dims, c.second_type, c.other_layout, 0.5, 0.5)),
          dst(FIRST_RESULT + c.links.size(), c.dims, c.dst_type, c.layout) {
        if (!c.added) return;
        added = made(X2_ID, c.added->dims, c.added->type, c.layout, 1, 2);
        sum = graph_tensor(SRC_ID, c.dims, c.sum_type(), c.layout);
    }

    std::vector<op> ops() const {
        fused_graph g{c.norm, descriptions_of(norms_inputs()), c.links, set_epsilon, {}};
        for (link &l : g.links)
            if (!l.others.empty()) l.others = {(l.others[0].get_id() == OTHER_ID ? other : second).described};
        if (!c.added) return g.ops();
        const logical_tensor result = g.inputs[0] = unknown(SRC_ID, c.sum_type());
        std::vector<op> all = g.ops();
        std::vector<logical_tensor> operands = {src.described, added.described}, none;
        if (c.added->is_swapped) std::swap(operands[0], operands[1]);
        all.emplace_back(90, Add, operands, std::vector{result}, "add");
        if (c.added->is_kept) all.emplace_back(91, End, std::vector{result}, none, "kept");
        return all;
    }

    graph::partition partition() const {
        const auto first = partitions_of(ops()).at(0);
        EXPECT_EQ(first.get_ops_num(), c.links.size() + (c.added ? 2 : 1));
        EXPECT_TRUE(first.is_supported());
        return first;
    }

    void run() const {
        std::vector<const graph_tensor *> inputs = norms_inputs(), outputs = {&dst};
        inputs.insert(inputs.end(), {&other, &second});
        if (c.added) inputs.push_back(&added);
        if (c.added && c.added->is_kept) outputs.push_back(&sum);
        execute_partition(partition(), inputs, outputs);
    }

    // The values that are normalized.
    std::vector<double> sums() const {
        std::vector<double> result = src.data.values();
        if (!c.added) return result;
        const std::vector<double> others = broadcast(added.data.values(), c.added->dims, c.dims);
        for (size_t i = 0; i < result.size(); ++i) result[i] = double(float(result[i]) + float(others[i]));
        if (!c.added->is_kept) return result;
        const floats kept = rounded(as_floats(result), c.sum_type());
        return {kept.begin(), kept.end()};
    }
    // The norm without followers, unrounded: values of narrow types are values of f32.
    floats normalized() const {
        const auto wide = graph_tensor(SRC_ID, c.dims, jitnorm_f32).filled(sums());
        const graph_tensor result(FIRST_RESULT, c.dims, jitnorm_f32);
        std::vector<const graph_tensor *> inputs = norms_inputs();
        inputs[0] = &wide;
        run_op(c.norm, inputs, {&result}, [&](op &o) {
            if (c.norm == LayerNorm) o.set_attr<bool>(op::attr::keep_stats, false);
            set_epsilon(o);
        });
        return as_floats(result.data.values());
    }
    // The operands' values for each element.
    floats others() const { return as_floats(broadcast(other.data.values(), c.other_dims, c.dims)); }
    floats seconds() const { return as_floats(broadcast(second.data.values(), c.second_dims, c.dims)); }

private:
    static graph_tensor made(size_t id, const shape &dims, jitnorm_data_type_t type, const std::string &layout,
                             double mean, double deviation) {
        return graph_tensor(id, dims, type, layout).filled(random_values(count(dims), mean, deviation, unsigned(id)));
    }
    std::vector<const graph_tensor *> norms_inputs() const {
        std::vector<const graph_tensor *> result = {&src};
        if (c.has_affine) result.push_back(&gamma);
        if (c.has_affine && c.norm == LayerNorm) result.push_back(&beta);
        return result;
    }
};

// Equal numbers, zeros of either sign, or both NaN.
inline void expect_equal(const floats &got, const floats &expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
            << i << ": " << got[i] << " for " << expected[i];
}

// Executes: f(what the normalization gives, the second operand, the other such one if f takes it), rounded once to the
// type of dst.
template <typename Function>
void expect_executed(const fused_execution &e, Function &&f) {
    e.run();
    if (e.c.added && e.c.added->is_kept) {
        EXPECT_EQ(e.sum.data.values(), e.sums());
    }
    floats expected = e.normalized();
    const floats other = e.others(), second = e.seconds();
    for (size_t i = 0; i < expected.size(); ++i)
        if constexpr (std::is_invocable_v<Function, float, float, float>)
            expected[i] = f(expected[i], other[i], second[i]);
        else
            expected[i] = f(expected[i], other[i]);
    expect_equal(as_floats(e.dst.data.values()), rounded(expected, e.c.dst_type));
}
template <typename Function>
void expect_bits_of(const fused_case &c, Function &&f) {
    expect_executed(fused_execution(c), f);
}

inline const shape SHAPES[] = {{3, 1}, {5, 7}, {4, 16}, {2, 3, 33}, {2, 2, 2, 129}, {2, 1, 2, 3, 512}};

// Which has a second operand, the other tensor.
inline link with_other(op::kind kind, jitnorm_data_type_t type = jitnorm_f32, bool other_is_first = false) {
    return {kind, type, {unknown(OTHER_ID)}, other_is_first};
}

} // namespace jitnorm::tests
