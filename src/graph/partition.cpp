// SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

#include <algorithm>
#include <atomic>

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

} // namespace

std::string partition_content::name() const {
    std::string result;
    for (const jitnorm_graph_op &op : ops) result += (result.empty() ? "" : "+") + op.name;
    return result;
}

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

} // namespace jitnorm::impl::graph
