// SPDX-License-Identifier: Apache-2.0
// The tensors of a graph.
#include "graph_memory.hpp"

#include "../correctness/oracle.hpp"
#include "../correctness/random.hpp"

namespace benchdnn_lite {

namespace {

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
    case graph_role::gamma:
        return random.uniform(0.5, 1.5);
    case graph_role::src:
        return 0.5 + random.bell();
    default:
        return random.bell();
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
    const size_t mean = n.inputs.at(graph_role::mean), variance = n.inputs.at(graph_role::variance);
    const std::vector<double> src = values_of(at(n.inputs.at(graph_role::src)));
    const size_t rows = size_t(at(mean).elements()), columns = rows == 0 ? 0 : src.size() / rows;
    for (size_t row = 0; row < rows; ++row) {
        const statistics s = statistics_of(std::span(src).subspan(row * columns, columns), false);
        if (!filled_.contains(mean)) at(mean).set(dim_t(row), columns == 0 ? 0 : double(s.mean));
        if (!filled_.contains(variance)) at(variance).set(dim_t(row), columns == 0 ? 0 : double(s.variance));
    }
    filled_.insert({mean, variance});
}

void graph_memory::fill_inputs(const graph_norm &n) {
    for (const auto &[role, id] : n.inputs)
        if (role != graph_role::mean && role != graph_role::variance && !filled_.contains(id)) fill(role, id);
    for (const graph_follower &f : n.followers) // like gamma: divisors should not be near zero
        if (std::holds_alternative<binary_post_op>(f.step) && !filled_.contains(f.other))
            fill(graph_role::gamma, f.other);
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

} // namespace benchdnn_lite
