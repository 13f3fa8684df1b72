// SPDX-License-Identifier: Apache-2.0
// fused_run: a normalization with operations behind it, executed, and the same normalization alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "fused_graph.hpp"

namespace jitnorm::tests {

using enum op::kind;
using floats = std::vector<float>;
using function = std::function<float(float)>;
using combination = std::function<float(float, float)>;

constexpr float EPSILON = 0.0625F;
constexpr size_t SRC_ID = 10, OTHER_ID = 20;

struct fused_case {
    op::kind norm = LayerNorm;
    shape dims = {5, 33};
    jitnorm_data_type_t type = jitnorm_f32;
    std::vector<link> links = {};
    jitnorm_data_type_t dst_type = jitnorm_f32;
    shape other_dims = {}; // of the second operand of the links that have one
    std::string layout = "dense", other_layout = "dense";
    jitnorm_data_type_t other_type = jitnorm_f32;
};

inline floats as_floats(const std::vector<double> &values) { return {values.begin(), values.end()}; }

inline void set_epsilon(op &o) { o.set_attr<float>(op::attr::epsilon, EPSILON); }

// What the normalization alone gives in f32 for these values of src, which is the first of its inputs.
inline floats normalized_alone(op::kind norm, const std::vector<double> &src, const shape &dims,
                               std::vector<const graph_tensor *> inputs) {
    const auto wide = graph_tensor(SRC_ID, dims, jitnorm_f32).filled(src);
    const graph_tensor result(FIRST_RESULT, dims, jitnorm_f32);
    inputs[0] = &wide;
    run_op(norm, inputs, {&result}, [&](op &o) {
        if (norm == LayerNorm) o.set_attr<bool>(op::attr::keep_stats, false);
        set_epsilon(o);
    });
    return as_floats(result.data.values());
}

// Tensors of a case, run as the fused partition, or the norm alone.
struct fused_execution {
    fused_case c;
    graph_tensor src, gamma, beta, other, dst;

    explicit fused_execution(const fused_case &what)
        : c(what), src(graph_tensor(SRC_ID, c.dims, c.type, c.layout).filled(random_values(count(c.dims), 0.5, 1, 1))),
          gamma(graph_tensor(11, {c.dims.back()}, jitnorm_f32).filled(random_values(c.dims.back(), 1, 0.5, 2))),
          beta(graph_tensor(12, {c.dims.back()}, jitnorm_f32).filled(random_values(c.dims.back(), 0.2, 0.5, 3))),
          other(graph_tensor(OTHER_ID, c.other_dims, c.other_type, c.other_layout)
                    .filled(random_values(count(c.other_dims), 1.5, 0.25, 4))),
          dst(FIRST_RESULT + c.links.size(), c.dims, c.dst_type, c.layout) {}

    std::vector<const graph_tensor *> norms_inputs() const {
        std::vector<const graph_tensor *> result = {&src, &gamma};
        if (c.norm == LayerNorm) result.push_back(&beta);
        return result;
    }

    void run() {
        fused_graph g{c.norm, descriptions_of(norms_inputs()), c.links, set_epsilon, {}};
        for (link &l : g.links)
            if (!l.others.empty()) l.others = {other.described};
        const std::vector<graph::partition> partitions = partitions_of(g.ops());
        ASSERT_EQ(partitions.size(), 1u);
        ASSERT_TRUE(partitions[0].is_supported());
        std::vector<const graph_tensor *> inputs = norms_inputs();
        inputs.push_back(&other);
        execute_partition(partitions[0], inputs, {&dst});
    }

    // The norm alone, unrounded: values of narrow types are values of f32.
    floats normalized() const { return normalized_alone(c.norm, src.data.values(), c.dims, norms_inputs()); }
    // The second operand's value for each element.
    floats others() const { return as_floats(broadcast(other.data.values(), c.other_dims, c.dims)); }
};

inline floats rounded(const floats &values, jitnorm_data_type_t type) {
    const graph_tensor t = graph_tensor(1, {dim_t(values.size())}, type).filled({values.begin(), values.end()});
    return as_floats(t.data.values());
}

// Equal numbers, zeros of either sign, or both NaN.
inline void expect_equal(const floats &got, const floats &expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
            << i << ": " << got[i] << " for " << expected[i];
}

// Executes the case: f(what the normalization gives, the second operand), rounded once to the type of dst.
template <typename Function>
void expect_bits_of(const fused_case &c, Function &&f) {
    fused_execution e(c);
    e.run();
    floats expected = e.normalized();
    const floats other = e.others();
    std::transform(expected.begin(), expected.end(), other.begin(), expected.begin(), f);
    expect_equal(as_floats(e.dst.data.values()), rounded(expected, c.dst_type));
}

inline const shape SHAPES[] = {{3, 1}, {5, 7}, {4, 16}, {2, 3, 33}, {2, 2, 2, 129}, {2, 1, 2, 3, 512}};

// Which has a second operand, the other tensor.
inline link with_other(op::kind kind, jitnorm_data_type_t type = jitnorm_f32, bool other_is_first = false) {
    return {kind, type, {unknown(OTHER_ID)}, other_is_first};
}

} // namespace jitnorm::tests
