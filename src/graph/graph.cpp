// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <queue>

#include "fusion/fusion.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

namespace {

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

constexpr status broken(const char *reason) { return {jitnorm_invalid_graph, reason}; }

// Divides the operations of a graph into groups. Each group is computed as one operation: its inputs must all have been
// written before it begins. An operation's number is its place in `ops`.
class grouping {
public:
    // Each operation becomes a group of its own.
    explicit grouping(std::span<const jitnorm_graph_op> ops) : ops_(ops), group_(ops.size()) {
        for (size_t i = 0; i < ops.size(); ++i) {
            group_[i] = i;
            for (const logical_tensor &output : ops[i].outputs) writers_[output.id] = i;
        }
    }

    // The number of the operation that writes the tensor.
    std::optional<size_t> writer(size_t tensor) const {
        const auto found = writers_.find(tensor);
        return found == writers_.end() ? std::nullopt : std::optional(found->second);
    }

    // Whether the operation is alone in its group.
    bool is_alone(size_t op) const { return std::ranges::count(group_, group_[op]) == 1; }

    // Makes the operations one group. If groups would then wait for each other in a circle, returns false and changes
    // nothing.
    bool join(const std::vector<size_t> &members) {
        std::vector<size_t> before = group_;
        const size_t last = std::ranges::max(members);
        for (const size_t member : members) group_[member] = last;
        const bool fits = !find_waiting();
        if (!fits) group_ = std::move(before);
        return fits;
    }

    // The groups, as numbers of operations, in an order in which they can be executed, by Kahn's algorithm (1962). If
    // several groups can be next, the one whose last operation has the least number is. Groups that wait for each other
    // in a circle are missing.
    std::vector<std::vector<size_t>> in_order() const {
        std::vector<std::vector<size_t>> members(group_.size()), readers(group_.size()), result;
        std::vector<size_t> waiting(group_.size());
        for (size_t i = 0; i < group_.size(); ++i) {
            members[group_[i]].push_back(i);
            for (const logical_tensor &input : ops_[i].inputs) {
                const std::optional<size_t> before = writer(input.id);
                if (!before || (*before != i && group_[*before] == group_[i])) continue;
                readers[group_[*before]].push_back(group_[i]);
                ++waiting[group_[i]];
            }
        }
        std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
        for (size_t group = 0; group < members.size(); ++group)
            if (!members[group].empty() && waiting[group] == 0) ready.push(group);
        while (!ready.empty()) {
            const size_t group = ready.top();
            ready.pop();
            for (const size_t reader : readers[group])
                if (--waiting[reader] == 0) ready.push(reader);
            result.push_back(std::move(members[group]));
        }
        return result;
    }

    // The first operation that is missing there.
    std::optional<size_t> find_waiting() const {
        std::vector<bool> is_waiting(group_.size(), true);
        for (const std::vector<size_t> &group : in_order())
            for (const size_t op : group) is_waiting[op] = false;
        const auto found = std::ranges::find(is_waiting, true);
        return found == is_waiting.end() ? std::nullopt : std::optional(size_t(found - is_waiting.begin()));
    }

private:
    std::span<const jitnorm_graph_op> ops_;
    std::map<size_t, size_t> writers_; // by the ids of tensors
    std::vector<size_t> group_; // for each operation, its group's number, which is that of the group's last operation
};

// A normalization and the operations of a graph that are fused with it.
struct fused_group {
    std::span<const jitnorm_graph_op> ops; // all of the graph
    grouping &groups;
    fusion joined;
    std::vector<size_t> members; // the numbers of its operations

    // The numbers of the operations that read the tensor. An operation that reads it twice is listed twice.
    std::vector<size_t> readers(size_t tensor) const {
        std::vector<size_t> found;
        for (size_t i = 0; i < ops.size(); ++i)
            found.insert(found.end(), size_t(std::ranges::count(ops[i].inputs, tensor, &logical_tensor::id)), i);
        return found;
    }

    // Becomes the group of the operations `more`, whose fusion is `longer`, unless groups would wait for each other.
    bool grow(std::vector<size_t> more, const fusion &longer) {
        std::sort(more.begin(), more.end());
        if (!groups.join(more)) return false;
        joined = longer;
        members = std::move(more);
        return true;
    }

    // Takes the addition that writes the normalization's input, if there is one, if no other group has it, and if it
    // can be part of the normalization. Otherwise changes nothing.
    void take_addition() {
        const size_t input = ops[members.front()].inputs[0].id;
        const std::optional<size_t> before = groups.writer(input);
        const std::vector<size_t> read_by = readers(input);
        if (!before || !groups.is_alone(*before) || std::ranges::count(read_by, members.front()) != 1) return;
        fusion longer = joined;
        if (longer.prepend(ops[*before], read_by.size() > 1)) grow({*before, members.front()}, longer);
    }

    // The numbers of the operations Sigmoid(z) and z * Sigmoid(z), if an input of `op` is such a product, nobody else
    // reads what they write, and no other group has them. Otherwise none.
    std::vector<size_t> silu_of(const jitnorm_graph_op &op) const {
        const auto only_writer = [&](const logical_tensor &lt) {
            const std::optional<size_t> found = groups.writer(lt.id);
            return found && groups.is_alone(*found) && readers(lt.id).size() == 1 ? found : std::nullopt;
        };
        for (const logical_tensor &input : op.inputs) {
            const std::optional<size_t> product = only_writer(input);
            if (!product) continue;
            for (const logical_tensor &factor : ops[*product].inputs)
                if (const auto sigmoid = only_writer(factor); sigmoid && is_silu(ops[*sigmoid], ops[*product]))
                    return {*sigmoid, *product};
        }
        return {};
    }

    // Takes the operation, if it can be part of the normalization, with those that compute its other input (`silu`), or
    // none.
    bool take_follower(size_t next, const std::vector<size_t> &silu) {
        std::vector<size_t> more = members;
        more.push_back(next);
        more.insert(more.end(), silu.begin(), silu.end());
        fusion longer = joined;
        const logical_tensor *z = silu.empty() ? nullptr : &ops[silu[0]].inputs[0];
        return longer.append(ops[next], z) && grow(std::move(more), longer);
    }

    // Takes the operations that follow the normalization, one after the other, until the next one is not the only
    // reader of the result or cannot be part of the normalization.
    void take_followers() {
        for (;;) {
            const std::vector<size_t> next = readers(joined.result().id);
            if (next.size() != 1 || !groups.is_alone(next[0])) return;
            const std::vector<size_t> silu = silu_of(ops[next[0]]);
            if ((silu.empty() || !take_follower(next[0], silu)) && !take_follower(next[0], {})) return;
        }
    }
};

// Refuses a tensor that has several descriptions or is written by several operations.
status check_tensors(std::span<const jitnorm_graph_op> ops) {
    std::map<size_t, const logical_tensor *> known; // descriptions by the ids of the tensors
    std::map<size_t, size_t> writers;               // the ids of the operations by those of their outputs
    for (const jitnorm_graph_op &op : ops) {
        for (const auto *tensors : {&op.inputs, &op.outputs})
            for (const logical_tensor &lt : *tensors)
                if (!are_equal(*known.try_emplace(lt.id, &lt).first->second, lt))
                    return broken(
                        explain("operation %zu describes tensor %zu differently than another operation", op.id, lt.id));
        for (const logical_tensor &output : op.outputs)
            if (const auto [writer, is_first] = writers.try_emplace(output.id, op.id); !is_first)
                return broken(
                    explain("operations %zu and %zu both write tensor %zu", writer->second, op.id, output.id));
    }
    return {};
}

} // namespace

status jitnorm_graph_graph::add(const jitnorm_graph_op &op) {
    if (is_finalized) return FINALIZED;
    if (std::ranges::find(ops_, op.id, &jitnorm_graph_op::id) != ops_.end())
        return {jitnorm_invalid_graph_op, explain("the graph already has an operation %zu", op.id)};
    std::optional<norm_op> norm;
    JITNORM_TRY(understand(op, norm));
    ops_.push_back(op);
    return {};
}

status jitnorm_graph_graph::finalize() {
    if (is_finalized) return {};
    JITNORM_TRY(check_tensors(ops_));
    const grouping each(ops_);
    if (const std::optional<size_t> waiting = each.find_waiting())
        return broken(explain("operation %zu depends on its own outputs: the graph has a cycle", ops_[*waiting].id));
    const std::vector<std::vector<size_t>> order = each.in_order();
    std::vector<jitnorm_graph_op> sorted;
    sorted.reserve(ops_.size()); // so that nothing can fail from here on
    for (const std::vector<size_t> &one : order) sorted.push_back(std::move(ops_[one.front()]));
    ops_ = std::move(sorted);
    is_finalized = true;
    return {};
}

void jitnorm_graph_graph::filter(jitnorm_graph_partition_policy_t policy) {
    grouping groups(ops_);
    // Of each group, by the number of its first operation; none if that is not supported.
    std::vector<std::optional<norm_op>> norms(ops_.size());
    for (size_t i = 0; i < ops_.size(); ++i) (void)understand(ops_[i], norms[i]); // breaks no rule: add() has asked
    for (size_t i = 0; i < ops_.size() && policy == jitnorm_graph_partition_policy_fusion; ++i) {
        if (!norms[i] || !norms[i]->is_forward || !normalizes_last_axis(*norms[i], ops_[i].inputs[0].ndims)) continue;
        fused_group group{ops_, groups, fusion(ops_[i], *norms[i]), {i}};
        group.take_addition();
        group.take_followers();
        norms[group.members.front()] = group.joined.norm();
    }
    std::vector<partition_pointer> made;
    for (const std::vector<size_t> &group : groups.in_order()) {
        std::vector<jitnorm_graph_op> ops;
        for (const size_t member : group) ops.push_back(ops_[member]);
        made.push_back(make_partition(std::move(ops), norms[group.front()], engine_kind));
    }
    partitions = std::move(made);
}
