// SPDX-License-Identifier: Apache-2.0
#include "graph_target.hpp"

#include <algorithm>
#include <set>

#include "graph/graph_check.hpp"

namespace jitnorm::fuzz {

namespace {

using benchdnn_lite::binary_post_op, benchdnn_lite::graph_norm, benchdnn_lite::graph_role;

benchdnn_lite::graph_op normalization_of(const graph_choice &what) {
    benchdnn_lite::graph_op op;
    op.id = what.op;
    op.kind = what.name;
    op.attributes = {{"epsilon", what.epsilon},
                     {"begin_norm_axis", -int64_t(what.normalized)},
                     {"use_affine", what.has_affine},
                     {"output_mask", std::vector<int64_t>(what.output_mask, std::end(what.output_mask))}};
    for (size_t i = 0; i < what.input_ports; ++i) op.inputs.push_back(mention(what.inputs[i]));
    for (size_t i = 0; i < what.output_ports; ++i) op.outputs.push_back(mention(what.outputs[i]));
    return op;
}

bool is_binary(const benchdnn_lite::graph_follower &f, jitnorm_alg_kind_t algorithm) {
    const auto *binary = std::get_if<binary_post_op>(&f.step);
    return binary != nullptr && binary->algorithm == algorithm;
}

bool is_modulated(const graph_norm &n) {
    return !n.inputs.contains(graph_role::gamma) && !n.inputs.contains(graph_role::beta) && n.followers.size() > 1 &&
           is_binary(n.followers[0], jitnorm_binary_mul) && is_binary(n.followers[1], jitnorm_binary_add);
}

// Tensors have ids of their own, unless they are hostile.
bool have_own_ids(const graph_choice &what) {
    std::set<size_t> ids;
    for (size_t i = 0; i < what.input_ports; ++i) ids.insert(what.inputs[i].id);
    for (size_t i = 0; i < what.output_ports; ++i) ids.insert(what.outputs[i].id);
    return ids.size() == what.input_ports + what.output_ports;
}

// False where one of the tensors was not handed over.
bool keep(benchdnn_lite::graph_memory &memory, const std::set<size_t> &ids, const values_by_id &all) {
    for (const size_t id : ids) {
        if (!all.contains(id)) return false;
        const graph_values &t = all.at(id);
        memory.add({id, jitnorm::graph::logical_tensor::data_type(t.type), t.dims,
                    jitnorm::graph::logical_tensor::layout_type::strided});
        for (size_t i = 0; i < t.values.size(); ++i) memory.at(id).set(int64_t(i), t.values[i]);
    }
    return true;
}

void check(const graph_norm &n, bool is_fused, const values_by_id &before, const values_by_id &after) {
    benchdnn_lite::graph_memory memory(0);
    for (const auto &[id, tensor] : before)
        if (!are_ordinary(tensor.values)) return;
    if (!keep(memory, n.inputs_ids(), before) || !keep(memory, n.outputs_ids(), after)) return;
    if (!conditioned_answers(question_of(n, memory))) return;
    for (const benchdnn_lite::comparison &c : check_graph_op(n, memory))
        require(c.errors() == 0, "results are near the exact ones", c.errors() == 0 ? "" : c.report().front());
    if (is_modulated(n)) count("checked modulations");
    for (const benchdnn_lite::graph_follower &f : n.followers)
        if (is_binary(f, jitnorm_binary_mul_silu)) count("checked gates");
    count(!n.is_forward ? "checked backward" : is_fused ? "checked fusions" : "checked forward");
}

} // namespace

void check_partition(const graph_choice &what, const std::vector<size_t> &ops, const values_by_id &before,
                     const values_by_id &after) {
    const auto is_member = [&](size_t op) { return std::find(ops.begin(), ops.end(), op) != ops.end(); };
    const bool has_elements = std::find(what.dims.begin(), what.dims.end(), 0) == what.dims.end();
    if (!what.is_ordinary || !is_member(what.op) || !have_own_ids(what) || !has_elements) return;
    const benchdnn_lite::graph_op normalization = normalization_of(what);
    std::vector<const benchdnn_lite::graph_op *> members = {&normalization};
    for (const benchdnn_lite::graph_op &link : what.links)
        if (is_member(link.id)) members.push_back(&link);
    std::set<size_t> written;
    for (const auto &[id, tensor] : after) written.insert(id);
    check(benchdnn_lite::understand(members, written), members.size() > 1, before, after);
}

} // namespace jitnorm::fuzz
