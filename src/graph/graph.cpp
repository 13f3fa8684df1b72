// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <algorithm>
#include <atomic>

#include "fusion/fusion.hpp"

namespace jitnorm::impl::graph {

namespace {

bool mentions(const std::vector<logical_tensor> &tensors, size_t id) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const logical_tensor &lt) { return lt.id == id; });
}

// Adds the inputs (or outputs) of `op` to `ports`, but not a tensor that is an output (or input) of one of the
// operations, because it passes between them. The output `kept` is added nevertheless: others read it, too. The first
// operation's tensors are added as it lists them; of the other operations only tensors that `ports` does not have yet.
void add_ports(const std::vector<jitnorm_graph_op> &ops, const jitnorm_graph_op &op,
               std::vector<logical_tensor> jitnorm_graph_op::*side,
               std::vector<logical_tensor> jitnorm_graph_op::*other_side, const port &kept,
               std::vector<logical_tensor> &ports) {
    const bool is_first = &op == &ops.front();
    for (const logical_tensor &lt : op.*side) {
        const bool is_inside =
            !(kept.how == use::written && kept.id == lt.id) &&
            std::any_of(ops.begin(), ops.end(), [&](const auto &o) { return mentions(o.*other_side, lt.id); });
        if (!is_inside && (is_first || !mentions(ports, lt.id))) ports.push_back(lt);
    }
}

// Makes a partition with an id that no other partition of the process has.
partition_pointer make_partition(std::vector<jitnorm_graph_op> ops, const std::optional<norm_op> &norm,
                                 jitnorm_engine_kind_t engine_kind) {
    static std::atomic<size_t> next_id{0};
    partition_content made{std::move(ops), {}, {}, norm, engine_kind, next_id++};
    for (const jitnorm_graph_op &op : made.ops) {
        add_ports(made.ops, op, &jitnorm_graph_op::inputs, &jitnorm_graph_op::outputs, {}, made.inputs);
        add_ports(made.ops, op, &jitnorm_graph_op::outputs, &jitnorm_graph_op::inputs, norm ? (*norm)[SUM] : port{},
                  made.outputs);
    }
    return std::make_shared<const partition_content>(std::move(made));
}

} // namespace

std::string partition_content::name() const {
    std::string result;
    for (const jitnorm_graph_op &op : ops) result += (result.empty() ? "" : "+") + op.name;
    return result;
}

} // namespace jitnorm::impl::graph

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

namespace {

constexpr status broken(const char *reason) { return {jitnorm_invalid_graph, reason}; }

// Descriptions of tensors by their ids.
using tensor_map = std::map<size_t, const logical_tensor *>;

// Adds the tensors. Fails if one has an id that is known with another description.
status mention(tensor_map &known, const jitnorm_graph_op &op, const std::vector<logical_tensor> &tensors) {
    for (const logical_tensor &lt : tensors)
        if (!are_equal(*known.try_emplace(lt.id, &lt).first->second, lt))
            return broken(
                explain("operation %zu describes tensor %zu differently than another operation", op.id, lt.id));
    return {};
}

} // namespace

status jitnorm_graph_graph::add(const jitnorm_graph_op &op) {
    if (is_finalized) return broken("the graph is finalized");
    if (std::any_of(nodes_.begin(), nodes_.end(), [&](const node &n) { return n.op.id == op.id; }))
        return {jitnorm_invalid_graph_op, explain("the graph already has an operation %zu", op.id)};
    node added{op, {}};
    JITNORM_TRY(understand(op, added.norm));
    nodes_.push_back(std::move(added));
    return {};
}

status jitnorm_graph_graph::check_tensors() const {
    tensor_map known;
    std::map<size_t, const node *> writers;
    for (const node &n : nodes_) {
        for (const auto *tensors : {&n.op.inputs, &n.op.outputs}) JITNORM_TRY(mention(known, n.op, *tensors));
        for (const logical_tensor &output : n.op.outputs)
            if (const auto [writer, is_first] = writers.try_emplace(output.id, &n); !is_first)
                return broken(
                    explain("operations %zu and %zu both write tensor %zu", writer->second->op.id, n.op.id, output.id));
    }
    return {};
}

grouping jitnorm_graph_graph::each_on_its_own() const {
    std::vector<const jitnorm_graph_op *> ops;
    for (const node &n : nodes_) ops.push_back(&n.op);
    return grouping(ops);
}

status jitnorm_graph_graph::sort() {
    const grouping each = each_on_its_own();
    if (const std::optional<size_t> waiting = each.find_waiting())
        return broken(
            explain("operation %zu depends on its own outputs: the graph has a cycle", nodes_[*waiting].op.id));
    const std::vector<std::vector<size_t>> order = each.in_order();
    std::vector<node> sorted;
    sorted.reserve(nodes_.size()); // so that nothing can fail from here on
    for (const std::vector<size_t> &one : order) sorted.push_back(std::move(nodes_[one.front()]));
    nodes_ = std::move(sorted);
    return {};
}

status jitnorm_graph_graph::finalize() {
    if (is_finalized) return {};
    JITNORM_TRY(check_tensors());
    JITNORM_TRY(sort());
    is_finalized = true;
    return {};
}

// The numbers of the operations that read the tensor. An operation that reads it twice is listed twice.
std::vector<size_t> jitnorm_graph_graph::readers(size_t tensor) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < nodes_.size(); ++i)
        for (const logical_tensor &input : nodes_[i].op.inputs)
            if (input.id == tensor) found.push_back(i);
    return found;
}

std::optional<size_t> jitnorm_graph_graph::writer(size_t tensor) const {
    for (size_t i = 0; i < nodes_.size(); ++i)
        for (const logical_tensor &output : nodes_[i].op.outputs)
            if (output.id == tensor) return i;
    return std::nullopt;
}

// Takes the addition that writes the normalization's input into the group, if there is one, if no other group has it,
// and if it can be part of the normalization. Otherwise changes nothing.
void jitnorm_graph_graph::take_addition(fusion &joined, std::vector<size_t> &members, grouping &groups) const {
    const size_t sum = nodes_[members.front()].op.inputs[0].id;
    const std::optional<size_t> before = writer(sum);
    const std::vector<size_t> read_by = readers(sum);
    if (!before || !groups.is_alone(*before) || std::count(read_by.begin(), read_by.end(), members.front()) != 1)
        return;
    std::vector<size_t> more = members;
    more.insert(more.begin(), *before);
    fusion longer = joined;
    if (!longer.prepend(nodes_[*before].op, read_by.size() > 1) || !groups.join(more)) return;
    joined = longer;
    members = more;
}

// The numbers of the operations Sigmoid(z) and z * Sigmoid(z), if an input of `op` is such a product, nobody else reads
// what they write, and no other group has them. Otherwise none.
std::vector<size_t> jitnorm_graph_graph::silu_of(const jitnorm_graph_op &op, const grouping &groups) const {
    const auto only_writer = [&](const logical_tensor &lt) {
        const std::optional<size_t> found = writer(lt.id);
        return found && groups.is_alone(*found) && readers(lt.id).size() == 1 ? found : std::nullopt;
    };
    for (const logical_tensor &input : op.inputs) {
        const std::optional<size_t> product = only_writer(input);
        if (!product) continue;
        for (const logical_tensor &factor : nodes_[*product].op.inputs)
            if (const auto sigmoid = only_writer(factor); sigmoid && is_silu(nodes_[*sigmoid].op, nodes_[*product].op))
                return {*sigmoid, *product};
    }
    return {};
}

// Takes the operations that follow the normalization into the group, one after the other, until the next one is not the
// only reader of the result or cannot be part of the normalization.
void jitnorm_graph_graph::take_followers(fusion &joined, std::vector<size_t> &members, grouping &groups) const {
    // `silu`: the operations that compute the other input of the next one, or none
    const auto take = [&](size_t next, const std::vector<size_t> &silu) {
        std::vector<size_t> more = members;
        more.push_back(next);
        more.insert(more.end(), silu.begin(), silu.end());
        std::sort(more.begin(), more.end());
        fusion longer = joined;
        const bool fits = silu.empty() ? longer.append(nodes_[next].op)
                                       : longer.append_with_silu(nodes_[next].op, nodes_[silu[0]].op.inputs[0]);
        if (!fits || !groups.join(more)) return false;
        joined = longer;
        members = more;
        return true;
    };
    for (;;) {
        const std::vector<size_t> next = readers(joined.result().id);
        if (next.size() != 1 || !groups.is_alone(next[0])) return;
        const std::vector<size_t> silu = silu_of(nodes_[next[0]].op, groups);
        if ((silu.empty() || !take(next[0], silu)) && !take(next[0], {})) return;
    }
}

void jitnorm_graph_graph::filter(jitnorm_graph_partition_policy_t policy) {
    grouping groups = each_on_its_own();
    std::map<size_t, norm_op> fused; // by the number of the group's first operation
    for (size_t i = 0; i < nodes_.size() && policy == jitnorm_graph_partition_policy_fusion; ++i) {
        if (!nodes_[i].norm) continue;
        std::optional<fusion> joined = fusion::begin(nodes_[i].op, *nodes_[i].norm);
        std::vector<size_t> members = {i};
        if (!joined) continue;
        take_addition(*joined, members, groups);
        take_followers(*joined, members, groups);
        fused.emplace(members.front(), joined->norm());
    }
    std::vector<partition_pointer> made;
    for (const std::vector<size_t> &group : groups.in_order()) {
        const auto found = fused.find(group.front());
        std::vector<jitnorm_graph_op> parts;
        for (const size_t member : group) parts.push_back(nodes_[member].op);
        made.push_back(make_partition(std::move(parts),
                                      found == fused.end() ? nodes_[group.front()].norm : found->second, engine_kind));
    }
    partitions = std::move(made);
}
