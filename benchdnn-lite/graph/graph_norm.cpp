// SPDX-License-Identifier: Apache-2.0
// The operations' inputs, outputs and attributes by name.
#include "graph_norm.hpp"

#include "../error.hpp"

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

template <typename Value>
void read(const graph_op &op, const char *name, Value &value) {
    const auto found = op.attributes.find(name);
    if (found == op.attributes.end()) return;
    const Value *given = std::get_if<Value>(&found->second);
    if (given == nullptr) throw input_error("attribute '", name, "' is of another type");
    value = *given;
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
    read(op, "use_affine", n.uses_affine);
    read(op, "epsilon", n.epsilon);
    read(op, "begin_norm_axis", n.begin_norm_axis);
    read(op, "output_mask", mask);
    forget_what_is_not_used(n, mask);
    return n;
}

jitnorm_graph_op_kind_t graph_kind(const std::string &name) {
    const kind *k = find_kind(name);
    return k == nullptr ? jitnorm_graph_op_wildcard : k->number;
}

jitnorm_graph_op_attr_t graph_attribute_name(const std::string &name) {
    if (name == "keep_stats") return jitnorm_graph_op_attr_keep_stats;
    if (name == "use_affine") return jitnorm_graph_op_attr_use_affine;
    if (name == "epsilon") return jitnorm_graph_op_attr_epsilon;
    if (name == "begin_norm_axis") return jitnorm_graph_op_attr_begin_norm_axis;
    if (name == "output_mask") return jitnorm_graph_op_attr_output_mask;
    throw input_error("no operation here has an attribute '", name, "'");
}

} // namespace benchdnn_lite
