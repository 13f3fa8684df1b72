// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <algorithm>

#include "fusion.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

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

// Of the operations: none where several read the tensor, or one does so twice, or nobody.
std::optional<size_t> jitnorm_graph_graph::only_reader(size_t tensor) const {
    std::optional<size_t> reader;
    for (size_t i = 0; i < nodes_.size(); ++i)
        for (const logical_tensor &input : nodes_[i].op.inputs) {
            if (input.id != tensor) continue;
            if (reader) return std::nullopt;
            reader = i;
        }
    return reader;
}

// Whoever reads mean or variance might write what an operation reads that follows.
bool jitnorm_graph_graph::keeps_statistics_to_itself(const node &n) const {
    const auto reads = [&](role r) {
        return n.norm->writes(r) && std::any_of(nodes_.begin(), nodes_.end(), [&](const node &other) {
                   return std::any_of(other.op.inputs.begin(), other.op.inputs.end(),
                                      [&](const logical_tensor &lt) { return lt.id == (*n.norm)[r].id; });
               });
    };
    return !reads(MEAN) && !reads(VARIANCE);
}

std::optional<jitnorm_graph_graph::fused> jitnorm_graph_graph::fuse(size_t first) const {
    const node &head = nodes_[first];
    if (!head.norm || !keeps_statistics_to_itself(head)) return std::nullopt;
    std::optional<fusion> joined = fusion::begin(head.op, *head.norm);
    if (!joined) return std::nullopt;
    std::vector<size_t> members = {first};
    for (auto next = only_reader(joined->result().id); next && joined->append(nodes_[*next].op);
         next = only_reader(joined->result().id))
        members.push_back(*next);
    if (members.size() == 1) return std::nullopt;
    return fused{members, joined->norm()};
}

// A partition of several operations is where its last one would be: whatever they read has been written by then.
void jitnorm_graph_graph::filter(jitnorm_graph_partition_policy_t policy) {
    std::map<size_t, fused> by_last;
    std::vector<bool> is_inside(nodes_.size(), false);
    for (size_t i = 0; i < nodes_.size() && policy == jitnorm_graph_partition_policy_fusion; ++i)
        if (auto found = fuse(i)) {
            const size_t last = found->nodes.back();
            for (const size_t member : found->nodes) is_inside[member] = true;
            by_last.emplace(last, *std::move(found));
        }
    std::vector<partition_pointer> made;
    for (size_t i = 0; i < nodes_.size(); ++i) {
        if (const auto found = by_last.find(i); found != by_last.end()) {
            std::vector<jitnorm_graph_op> ops;
            for (const size_t member : found->second.nodes) ops.push_back(nodes_[member].op);
            made.push_back(make_partition(std::move(ops), found->second.norm, engine_kind));
        } else if (!is_inside[i]) {
            made.push_back(make_partition({nodes_[i].op}, nodes_[i].norm, engine_kind));
        }
    }
    partitions = std::move(made);
}
