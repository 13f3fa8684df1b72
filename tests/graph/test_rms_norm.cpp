// SPDX-License-Identifier: Apache-2.0
// RMSNorm: the results against the oracle's over types, ranks and layouts.
#include "graph_tensor.hpp"
#include "whole_gradient.hpp"

namespace jitnorm::tests {
namespace {

struct rms_case {
    shape dims, gamma_dims; // none: no gamma
    jitnorm_data_type_t data = jitnorm_f32, gamma = jitnorm_f32;
    const char *layout = "dense";
    bool has_gamma = true;
};

values repeated(const values &few, size_t count) {
    values result;
    while (result.size() < count) result.insert(result.end(), few.begin(), few.end());
    return result;
}

void expect_right(const rms_case &c) {
    constexpr float EPSILON = 0.01F;
    const dim_t columns = c.dims.back();
    dim_t count = 1, gamma_count = 1;
    for (const dim_t d : c.dims) count *= d;
    for (const dim_t d : c.gamma_dims) gamma_count *= d;
    const auto src = graph_tensor(1, c.dims, c.data, c.layout).filled(random_values(count, 0.5, 1, 3));
    const auto gamma = graph_tensor(2, c.gamma_dims, c.gamma, c.gamma_dims.empty() ? "dense" : c.layout)
                           .filled(random_values(gamma_count, 1, 0.5, 4));
    const graph_tensor dst(3, c.dims, c.data, c.layout);
    std::vector<const graph_tensor *> inputs = {&src};
    if (c.has_gamma) inputs.push_back(&gamma);
    run_op(op::kind::RMSNorm, inputs, {&dst}, [&](op &o) { o.set_attr<float>(op::attr::epsilon, EPSILON); });

    oracle_problem<double> q;
    q.rms = true;
    q.rows = size_t(count / columns);
    q.columns = size_t(columns);
    q.epsilon = EPSILON;
    q.src = src.data.values();
    if (c.has_gamma) q.scale = repeated(gamma.data.values(), q.columns);
    const values expected = oracle_forward(q).dst;
    expect_all_close(dst.data.values(), expected, 1e-6 + half_ulp(c.data), largest(expected), c.layout);
}

TEST(rms_norm, computes) {
    for (const shape &dims : {shape{3, 1}, {5, 37}, {4, 3, 19}, {2, 3, 4, 64}, {2, 2, 3, 2, 129}})
        for (const char *layout : {"dense", "spread", "reversed"}) {
            const shape row = {dims.back()};
            expect_right({dims, row, jitnorm_f32, jitnorm_f32, layout});
            expect_right({dims, row, jitnorm_bf16, jitnorm_f32, layout});
            expect_right({dims, row, jitnorm_bf16, jitnorm_bf16, layout});
            expect_right({dims, row, jitnorm_f16, jitnorm_f16, layout});
            expect_right({dims, row, jitnorm_f16, jitnorm_f32, layout});
            expect_right({dims, row, jitnorm_f32, jitnorm_f32, layout, false});
        }
}

TEST(rms_norm, gamma_is_broadcast) {
    for (const shape &gamma : {shape{}, {1}, {1, 1, 1}, {1, 37}, {1, 1, 37}}) {
        expect_right({{3, 5, 37}, gamma});
        expect_right({{3, 5, 37}, gamma, jitnorm_bf16, jitnorm_bf16});
    }
}

} // namespace
} // namespace jitnorm::tests
