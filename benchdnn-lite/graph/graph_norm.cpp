// SPDX-License-Identifier: Apache-2.0
// The inputs, outputs and attributes of normalizations, by their names.
#include "graph_norm.hpp"

#include "../error.hpp"
#include "graph_follower.hpp"

namespace benchdnn_lite {

namespace {

using enum graph_role;
using roles = std::vector<graph_role>;

struct kind {
    const char *name;
    jitnorm_graph_op_kind_t number;
    roles inputs, outputs;
};

const std::vector<kind> KINDS = {
    {"LayerNorm", jitnorm_graph_op_layer_norm, {src, gamma, beta}, {dst, mean, variance}},
    {"RMSNorm", jitnorm_graph_op_rms_norm, {src, gamma}, {dst}},
    {"LayerNormBackward",
     jitnorm_graph_op_layer_norm_backward,
     {src, diff_dst, mean, variance, gamma, beta},
     {diff_src, diff_gamma, diff_beta}},
    {"LayerNormBackprop",
     jitnorm_graph_op_layer_norm_backprop,
     {src, diff_dst, mean, variance, gamma, beta},
     {diff_src, diff_gamma, diff_beta}},
    {"LayerNormGrad",
     jitnorm_graph_op_layer_norm_grad,
     {diff_dst, src, variance, mean, gamma},
     {diff_src, diff_gamma, diff_beta}},
};

const kind *find_kind(const std::string &name) {
    for (const kind &k : KINDS)
        if (k.name == name) return &k;
    return nullptr;
}

std::map<graph_role, size_t> ids_of(const roles &names, const std::vector<graph_tensor> &tensors) {
    if (tensors.size() > names.size()) throw input_error("an operation with too many inputs or outputs");
    std::map<graph_role, size_t> ids;
    for (size_t i = 0; i < tensors.size(); ++i) ids[names[i]] = tensors[i].id;
    return ids;
}

void forget_what_is_not_used(graph_norm &n, const std::vector<int64_t> &mask) {
    constexpr graph_role MASKED[] = {diff_src, diff_gamma, diff_beta};
    for (size_t i = 0; n.is_ascend && i < std::min(mask.size(), std::size(MASKED)); ++i)
        if (mask[i] == 0) n.outputs.erase(MASKED[i]);
    if (!n.is_forward || !n.uses_affine) n.inputs.erase(beta);
    if (!n.uses_affine) n.inputs.erase(gamma);
}

} // namespace

std::set<size_t> graph_norm::inputs_ids() const {
    std::set<size_t> ids;
    for (const auto &[role, id] : inputs) ids.insert(id);
    for (const graph_follower &f : followers)
        if (std::holds_alternative<binary_post_op>(f.step)) ids.insert(f.other);
    return ids;
}

std::set<size_t> graph_norm::outputs_ids() const {
    std::set<size_t> ids;
    for (const auto &[role, id] : outputs) ids.insert(id);
    return ids;
}

size_t graph_norm::axis(size_t src_ndims, size_t gamma_ndims) const {
    const int64_t rank = int64_t(src_ndims), begin = is_ascend ? -int64_t(gamma_ndims) : begin_norm_axis;
    if (begin < -rank || begin >= rank) throw input_error("there is no axis ", std::to_string(begin));
    return size_t(begin < 0 ? begin + rank : begin);
}

std::optional<graph_norm> understand(const graph_op &op) {
    const kind *k = find_kind(op.kind);
    if (k == nullptr) return {};
    graph_norm n;
    n.op = &op;
    n.is_rms = k->number == jitnorm_graph_op_rms_norm;
    n.is_forward = k->number == jitnorm_graph_op_layer_norm || n.is_rms;
    n.is_ascend = k->number == jitnorm_graph_op_layer_norm_grad;
    n.inputs = ids_of(k->inputs, op.inputs);
    n.outputs = ids_of(k->outputs, op.outputs);
    std::vector<int64_t> mask = {1, 1, 1};
    op.read("use_affine", n.uses_affine);
    op.read("epsilon", n.epsilon);
    op.read("begin_norm_axis", n.begin_norm_axis);
    op.read("output_mask", mask);
    forget_what_is_not_used(n, mask);
    return n;
}

jitnorm_graph_op_kind_t graph_kind(const std::string &name) {
    const kind *k = find_kind(name);
    return k == nullptr ? follower_kind(name) : k->number;
}

jitnorm_graph_op_attr_t graph_attribute_name(const std::string &name) {
    static const std::map<std::string, jitnorm_graph_op_attr_t> NAMES = {
        {"alpha", jitnorm_graph_op_attr_alpha},
        {"auto_broadcast", jitnorm_graph_op_attr_auto_broadcast},
        {"axis", jitnorm_graph_op_attr_axis},
        {"begin_norm_axis", jitnorm_graph_op_attr_begin_norm_axis},
        {"beta", jitnorm_graph_op_attr_beta},
        {"epsilon", jitnorm_graph_op_attr_epsilon},
        {"keep_stats", jitnorm_graph_op_attr_keep_stats},
        {"max", jitnorm_graph_op_attr_max},
        {"min", jitnorm_graph_op_attr_min},
        {"mode", jitnorm_graph_op_attr_mode},
        {"output_mask", jitnorm_graph_op_attr_output_mask},
        {"qtype", jitnorm_graph_op_attr_qtype},
        {"scales", jitnorm_graph_op_attr_scales},
        {"use_affine", jitnorm_graph_op_attr_use_affine},
        {"zps", jitnorm_graph_op_attr_zps},
    };
    const auto found = NAMES.find(name);
    if (found == NAMES.end()) throw input_error("no operation here has an attribute '", name, "'");
    return found->second;
}

} // namespace benchdnn_lite
