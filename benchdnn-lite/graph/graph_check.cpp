// SPDX-License-Identifier: Apache-2.0
// Fills the tensors of a graph, and compares the outputs of an operation with the oracle.
#include "graph_check.hpp"

#include <algorithm>

#include "../correctness/random.hpp"

namespace benchdnn_lite {

namespace {

using enum graph_role;
using jitnorm::graph::logical_tensor;

// A scalar becomes a tensor of one element.
layout layout_of(const logical_tensor &t) {
    layout l;
    l.type = data_type(t.get_data_type());
    l.dims = t.get_dims();
    l.strides = t.get_strides();
    if (l.dims.empty()) l.dims = l.strides = {1};
    l.padded_dims = l.dims;
    return l;
}

double value_for(graph_role role, random_numbers &random) {
    switch (role) {
    case gamma:
        return random.uniform(0.5, 1.5);
    case src:
        return 0.5 + random.bell();
    default:
        return random.bell();
    }
}

const char *name_of(graph_role role) {
    constexpr const char *NAMES[] = {"src",  "residual", "diff_dst", "mean",     "variance",   "gamma",
                                     "beta", "dst",      "sum",      "diff_src", "diff_gamma", "diff_beta"};
    return NAMES[size_t(role)];
}

std::vector<double> broadcast_values(const buffer &b, const std::vector<dim_t> &dims) {
    return broadcast(values_of(b), b.shape().dims, dims);
}

// By the definition of the library, the sum is f32. If the sum is an output, it is rounded to the type of its tensor,
// and the rounded values are normalized.
void add_residual(const graph_norm &n, const graph_memory &memory, std::vector<double> &values) {
    const std::vector<double> added =
        broadcast_values(memory.at(n.inputs.at(residual)), memory.at(n.inputs.at(src)).shape().dims);
    const auto kept = n.outputs.find(sum);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = double(float(values[i]) + float(added[i]));
        if (kept != n.outputs.end()) values[i] = round_to(memory.at(kept->second).type(), values[i]);
    }
}

void apply_followers(const graph_norm &n, const graph_memory &memory, expectations &values) {
    for (const graph_follower &f : n.followers) {
        const post_op step = std::visit([](const auto &op) -> post_op { return op; }, f.step);
        const bool has_other = std::holds_alternative<binary_post_op>(step);
        apply(values, step,
              has_other ? broadcast_values(memory.at(f.other), memory.at(n.inputs.at(src)).shape().dims)
                        : std::vector<double>{},
              F32_ERROR);
    }
}

} // namespace

std::vector<double> values_of(const buffer &b) {
    std::vector<double> values(size_t(b.elements()));
    const size_t columns = size_t(b.shape().dims.back());
    for (dim_t row = 0; row < b.rows(); ++row)
        b.get_row(row, std::span(values).subspan(size_t(row) * columns, columns));
    return values;
}

void graph_memory::add(const logical_tensor &described) {
    if (!buffers_.contains(described.get_id()))
        buffers_.emplace(described.get_id(), buffer(layout_of(described), described.get_mem_size()));
}

jitnorm::graph::tensor graph_memory::tensor(const logical_tensor &described, const jitnorm::engine &on) const {
    return {described, on, at(described.get_id()).data()};
}

void graph_memory::fill(graph_role role, size_t id) {
    const buffer &b = at(id);
    random_numbers random(seed_, id);
    for (dim_t i = 0; i < b.elements(); ++i) b.set(i, value_for(role, random));
    filled_.insert(id);
}

void graph_memory::fill_statistics(const graph_norm &n) {
    const size_t mean_id = n.inputs.at(mean), variance_id = n.inputs.at(variance);
    const std::vector<double> values = values_of(at(n.inputs.at(src)));
    const size_t rows = size_t(at(mean_id).elements()), columns = rows == 0 ? 0 : values.size() / rows;
    for (size_t row = 0; row < rows; ++row) {
        const statistics s = statistics_of(std::span(values).subspan(row * columns, columns), false);
        if (!filled_.contains(mean_id)) at(mean_id).set(dim_t(row), columns == 0 ? 0 : double(s.mean));
        if (!filled_.contains(variance_id)) at(variance_id).set(dim_t(row), columns == 0 ? 0 : double(s.variance));
    }
    filled_.insert({mean_id, variance_id});
}

void graph_memory::fill_inputs(const graph_norm &n) {
    for (const auto &[role, id] : n.inputs)
        if (role != mean && role != variance && !filled_.contains(id)) fill(role, id);
    for (const graph_follower &f : n.followers) // like gamma: divisors should not be near zero
        if (std::holds_alternative<binary_post_op>(f.step) && !filled_.contains(f.other)) fill(gamma, f.other);
    if (!n.is_forward) fill_statistics(n);
}

void graph_memory::poison_outputs(const graph_norm &n) {
    for (const auto &[role, id] : n.outputs) {
        at(id).poison();
        filled_.insert(id);
    }
}

std::vector<size_t> graph_memory::broken_guards() const {
    std::vector<size_t> ids;
    for (const auto &[id, b] : buffers_)
        if (!b.guards_intact()) ids.push_back(id);
    return ids;
}

oracle_problem question_of(const graph_norm &n, const graph_memory &memory) {
    const auto input = [&](graph_role role) {
        const auto found = n.inputs.find(role);
        return found == n.inputs.end() ? std::vector<double>{} : values_of(memory.at(found->second));
    };
    const std::vector<dim_t> &dims = memory.at(n.inputs.at(src)).shape().dims;
    const size_t gamma_ndims = n.inputs.contains(gamma) ? memory.at(n.inputs.at(gamma)).shape().dims.size() : 0;
    const size_t axis = n.axis(dims.size(), gamma_ndims);
    oracle_problem q;
    q.rows = size_t(product(std::span(dims).first(axis)));
    q.columns = size_t(product(std::span(dims).subspan(axis)));
    q.flags = n.is_rms ? jitnorm_rms_norm : 0;
    q.epsilon = n.epsilon;
    q.src = input(src);
    if (n.inputs.contains(residual)) add_residual(n, memory, q.src);
    q.scale = input(gamma);
    if (q.scale.size() == 1) q.scale.assign(q.columns, q.scale[0]); // that of RMSNorm may be a single value
    q.shift = input(beta);
    q.mean = input(mean);
    q.variance = input(variance);
    q.diff_dst = input(diff_dst);
    return q;
}

std::vector<comparison> check_graph_op(const graph_norm &n, const graph_memory &memory) {
    const oracle_problem question = question_of(n, memory);
    answers exact = solve(question);
    apply_followers(n, memory, exact.dst);
    expectations sums;
    for (const double value : question.src) sums.push_back({value, 0});
    const std::map<graph_role, const expectations *> expected = {{mean, &exact.mean},
                                                                 {variance, &exact.variance},
                                                                 {dst, &exact.dst},
                                                                 {sum, &sums},
                                                                 {diff_src, &exact.diff_src},
                                                                 {diff_gamma, &exact.diff_scale},
                                                                 {diff_beta, &exact.diff_shift}};
    std::vector<comparison> results;
    for (const auto &[role, id] : n.outputs) {
        const std::vector<double> got = values_of(memory.at(id));
        comparison &comparing = results.emplace_back(name_of(role), memory.at(id).shape());
        for (size_t i = 0; i < got.size(); ++i) comparing.add(dim_t(i), expected.at(role)->at(i), got[i]);
    }
    return results;
}

} // namespace benchdnn_lite
