// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <algorithm>
#include <atomic>

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

namespace jitnorm::impl::graph {

partition_pointer make_partition(const jitnorm_graph_op &op, const std::optional<norm_op> &norm,
                                 jitnorm_engine_kind_t engine_kind) {
    static std::atomic<size_t> next_id{0};
    return std::make_shared<const partition_content>(partition_content{op, norm, engine_kind, next_id++});
}

} // namespace jitnorm::impl::graph

namespace {

constexpr verdict broken(const char *reason) { return {jitnorm_invalid_graph, reason}; }

// Every tensor that is mentioned, by its id.
using tensor_map = std::map<size_t, const logical_tensor *>;

bool mention(tensor_map &known, const std::vector<logical_tensor> &tensors) {
    return std::all_of(tensors.begin(), tensors.end(), [&](const logical_tensor &lt) {
        return are_equal(*known.try_emplace(lt.id, &lt).first->second, lt);
    });
}

} // namespace

verdict jitnorm_graph_graph::add(const jitnorm_graph_op &op) {
    if (is_finalized) return broken("the graph is finalized");
    if (std::any_of(nodes_.begin(), nodes_.end(), [&](const node &n) { return n.op.id == op.id; }))
        return {jitnorm_invalid_graph_op, "the graph has an operation of this id"};
    node added{op, {}};
    if (verdict v = understand(op, added.norm); v.status != jitnorm_success) return v;
    nodes_.push_back(std::move(added));
    return {};
}

verdict jitnorm_graph_graph::check_tensors() const {
    tensor_map known;
    std::map<size_t, const node *> writers;
    for (const node &n : nodes_) {
        if (!mention(known, n.op.inputs) || !mention(known, n.op.outputs))
            return broken("descriptions of one tensor differ");
        for (const logical_tensor &output : n.op.outputs)
            if (!writers.try_emplace(output.id, &n).second) return broken("two operations write one tensor");
    }
    return {};
}

// Takes operations whose inputs are there until none is left (Kahn 1962); those of a circle stay.
verdict jitnorm_graph_graph::sort() {
    std::map<size_t, bool> is_there; // of tensors that an operation writes
    for (const node &n : nodes_)
        for (const logical_tensor &output : n.op.outputs) is_there[output.id] = false;
    const auto is_ready = [&](const node &n) {
        return std::all_of(n.op.inputs.begin(), n.op.inputs.end(), [&](const logical_tensor &input) {
            const auto found = is_there.find(input.id);
            return found == is_there.end() || found->second;
        });
    };
    for (auto next = nodes_.begin(); next != nodes_.end(); ++next) {
        const auto ready = std::find_if(next, nodes_.end(), is_ready);
        if (ready == nodes_.end()) return broken("operations wait for each other in a circle");
        std::rotate(next, ready, ready + 1);
        for (const logical_tensor &output : next->op.outputs) is_there[output.id] = true;
    }
    return {};
}

verdict jitnorm_graph_graph::finalize() {
    if (is_finalized) return {};
    if (verdict v = check_tensors(); v.status != jitnorm_success) return v;
    if (verdict v = sort(); v.status != jitnorm_success) return v;
    is_finalized = true;
    return {};
}

void jitnorm_graph_graph::filter() {
    std::vector<partition_pointer> made;
    for (const node &n : nodes_) made.push_back(make_partition(n.op, n.norm, engine_kind));
    partitions = std::move(made);
}
