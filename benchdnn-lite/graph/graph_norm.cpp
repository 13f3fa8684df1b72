// SPDX-License-Identifier: Apache-2.0
// Operations by their names: normalizations, and those that go with them.
#include "graph_norm.hpp"

#include <algorithm>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

// An operation that goes with a normalization, and the algorithm of the post-op that computes it. alpha and beta are
// the attributes with these names, if the operation has them; else they have the values given here.
struct function {
    const char *name;
    jitnorm_graph_op_kind_t number;
    jitnorm_alg_kind_t algorithm;
    const char *alpha_name = "", *beta_name = "";
    float alpha = 0, beta = 0;

    bool takes_two() const { return algorithm >= jitnorm_binary_add; } // the first of them
};

constexpr function FUNCTIONS[] = {
    {"Abs", jitnorm_graph_op_abs, jitnorm_eltwise_abs},
    {"Clamp", jitnorm_graph_op_clamp, jitnorm_eltwise_clip, "min", "max"},
    {"Elu", jitnorm_graph_op_elu, jitnorm_eltwise_elu, "alpha"},
    {"Exp", jitnorm_graph_op_exp, jitnorm_eltwise_exp},
    {"GELU", jitnorm_graph_op_gelu, jitnorm_eltwise_gelu_erf},
    {"HardSigmoid", jitnorm_graph_op_hard_sigmoid, jitnorm_eltwise_hardsigmoid, "alpha", "beta"},
    {"HardSwish", jitnorm_graph_op_hard_swish, jitnorm_eltwise_hardswish, "", "", 1.0F / 6, 0.5F},
    {"LeakyReLU", jitnorm_graph_op_leaky_relu, jitnorm_eltwise_relu, "alpha"},
    {"Log", jitnorm_graph_op_log, jitnorm_eltwise_log},
    {"Mish", jitnorm_graph_op_mish, jitnorm_eltwise_mish},
    {"ReLU", jitnorm_graph_op_relu, jitnorm_eltwise_relu},
    {"Round", jitnorm_graph_op_round, jitnorm_eltwise_round},
    {"Sigmoid", jitnorm_graph_op_sigmoid, jitnorm_eltwise_logistic},
    {"SoftPlus", jitnorm_graph_op_softplus, jitnorm_eltwise_soft_relu, "beta", "", 1},
    {"Sqrt", jitnorm_graph_op_sqrt, jitnorm_eltwise_sqrt},
    {"Square", jitnorm_graph_op_square, jitnorm_eltwise_square},
    {"Tanh", jitnorm_graph_op_tanh, jitnorm_eltwise_tanh},
    {"Add", jitnorm_graph_op_add, jitnorm_binary_add},
    {"Divide", jitnorm_graph_op_divide, jitnorm_binary_div},
    {"Maximum", jitnorm_graph_op_maximum, jitnorm_binary_max},
    {"Minimum", jitnorm_graph_op_minimum, jitnorm_binary_min},
    {"Multiply", jitnorm_graph_op_multiply, jitnorm_binary_mul},
    {"Subtract", jitnorm_graph_op_subtract, jitnorm_binary_sub},
    {"Quantize", jitnorm_graph_op_quantize, jitnorm_eltwise_linear},
    {"TypeCast", jitnorm_graph_op_type_cast, jitnorm_alg_kind_undef},
};

eltwise_post_op step_of(const function &f, const graph_op &op) {
    eltwise_post_op step{f.algorithm, f.alpha, f.beta};
    op.read(f.alpha_name, step.alpha);
    op.read(f.beta_name, step.beta);
    std::string mode;
    op.read("mode", mode);
    if (mode == "gelu_tanh") step.algorithm = jitnorm_eltwise_gelu_tanh;
    return step;
}

// value / scale + zero point
eltwise_post_op quantization_of(const graph_op &op) {
    std::vector<float> scales = {1};
    std::vector<int64_t> zero_points = {0};
    op.read("scales", scales);
    op.read("zps", zero_points);
    return {jitnorm_eltwise_linear, 1 / scales.at(0), float(zero_points.at(0))};
}

// For each product z * Sigmoid(z) of the operations: z, by the product's id.
std::map<size_t, size_t> silus_of(const std::vector<const graph_op *> &ops) {
    std::map<size_t, size_t> sigmoids, silus;
    for (const graph_op *op : ops) {
        if (op->kind == "Sigmoid") sigmoids[op->outputs.at(0).id] = op->inputs.at(0).id;
        if (op->kind != "Multiply") continue;
        const size_t one = op->inputs.at(0).id, other = op->inputs.at(1).id, product = op->outputs.at(0).id;
        if (sigmoids.contains(one) && sigmoids[one] == other) silus[product] = other;
        if (sigmoids.contains(other) && sigmoids[other] == one) silus[product] = one;
    }
    return silus;
}

void follow(graph_norm &n, const graph_op &op, const std::map<size_t, size_t> &silus) {
    size_t &value = n.outputs.at(graph_role::dst);
    const function *f = find_named(FUNCTIONS, op.kind);
    if (f == nullptr) throw unsupported("there is no oracle for ", op.kind);
    if (f->takes_two()) {
        const size_t other = op.inputs.at(0).id == value ? op.inputs.at(1).id : op.inputs.at(0).id;
        const auto silu = silus.find(other);
        const bool is_gate = f->algorithm == jitnorm_binary_mul && silu != silus.end();
        n.followers.emplace_back(
            binary_post_op{is_gate ? jitnorm_binary_mul_silu : f->algorithm, jitnorm_f32, 0, "", ""},
            is_gate ? silu->second : other);
    } else if (f->number == jitnorm_graph_op_quantize) {
        n.followers.emplace_back(quantization_of(op));
    } else if (f->number != jitnorm_graph_op_type_cast) {
        n.followers.emplace_back(step_of(*f, op));
    }
    value = op.outputs.at(0).id;
}

// Reads an addition before the normalization. src is the operand that is not broadcast; the other one is the residual.
void add_before(graph_norm &n, const graph_op &op, const std::set<size_t> &outputs) {
    const graph_tensor &one = op.inputs.at(0), &other = op.inputs.at(1);
    const bool first_is_whole = one.dims.size() >= other.dims.size() && product(one.dims) >= product(other.dims);
    n.inputs[graph_role::src] = first_is_whole ? one.id : other.id;
    n.inputs[graph_role::residual] = first_is_whole ? other.id : one.id;
    const size_t sum = op.outputs.at(0).id;
    if (outputs.contains(sum)) n.outputs[graph_role::sum] = sum;
}

using enum graph_role;
using roles = std::vector<graph_role>;

struct kind {
    const char *name;
    jitnorm_graph_op_kind_t number;
    roles inputs, outputs;
};

const roles OF_BACKWARD = {src, diff_dst, mean, variance, gamma, beta}, GRADIENTS = {diff_src, diff_gamma, diff_beta};
const std::vector<kind> KINDS = {
    {"LayerNorm", jitnorm_graph_op_layer_norm, {src, gamma, beta}, {dst, mean, variance}},
    {"RMSNorm", jitnorm_graph_op_rms_norm, {src, gamma}, {dst}},
    {"LayerNormBackward", jitnorm_graph_op_layer_norm_backward, OF_BACKWARD, GRADIENTS},
    {"LayerNormBackprop", jitnorm_graph_op_layer_norm_backprop, OF_BACKWARD, GRADIENTS},
    {"LayerNormGrad", jitnorm_graph_op_layer_norm_grad, {diff_dst, src, variance, mean, gamma}, GRADIENTS},
};

std::map<graph_role, size_t> ids_of(const roles &names, const std::vector<graph_tensor> &tensors) {
    if (tensors.size() > names.size()) throw input_error("an operation with too many inputs or outputs");
    std::map<graph_role, size_t> ids;
    for (size_t i = 0; i < tensors.size(); ++i) ids[names[i]] = tensors[i].id;
    return ids;
}

void forget_what_is_not_used(graph_norm &n, const std::vector<int64_t> &mask) {
    for (size_t i = 0; n.is_ascend && i < std::min(mask.size(), GRADIENTS.size()); ++i)
        if (mask[i] == 0) n.outputs.erase(GRADIENTS[i]);
    if (!n.is_forward || !n.uses_affine) n.inputs.erase(beta);
    if (!n.uses_affine) n.inputs.erase(gamma);
}

} // namespace

graph_norm understand(const std::vector<const graph_op *> &ops, const std::set<size_t> &outputs) {
    const auto norm =
        std::find_if(ops.begin(), ops.end(), [](const graph_op *op) { return understand(*op).has_value(); });
    if (norm == ops.end()) throw unsupported("there is no oracle for ", ops.at(0)->kind);
    graph_norm n = understand(**norm).value();
    const std::map<size_t, size_t> silus = silus_of(ops);
    const auto writes = [](const graph_op &op, size_t id) { return op.outputs.at(0).id == id; };
    const auto reads = [](const graph_op &op, size_t id) {
        return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const graph_tensor &t) { return t.id == id; });
    };
    for (const graph_op *op : ops)
        if (op != *norm && writes(*op, n.inputs.at(src))) add_before(n, *op, outputs);
    for (const graph_op *op : ops)
        if (op != *norm && reads(*op, n.outputs.at(dst))) follow(n, *op, silus);
    return n;
}

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
    const kind *k = find_named(KINDS, op.kind);
    if (k == nullptr) return {};
    graph_norm n;
    n.is_rms = k->number == jitnorm_graph_op_rms_norm;
    n.is_forward = k->number == jitnorm_graph_op_layer_norm || n.is_rms;
    n.is_ascend = k->number == jitnorm_graph_op_layer_norm_grad;
    n.inputs = ids_of(k->inputs, op.inputs);
    n.outputs = ids_of(k->outputs, op.outputs);
    std::vector<int64_t> mask = {1, 1, 1};
    if (n.is_ascend && op.inputs.size() > 1 && op.inputs[1].type == jitnorm_f32) n.epsilon = 1e-12F;
    op.read("use_affine", n.uses_affine);
    op.read("epsilon", n.epsilon);
    op.read("begin_norm_axis", n.begin_norm_axis);
    op.read("output_mask", mask);
    forget_what_is_not_used(n, mask);
    return n;
}

jitnorm_graph_op_kind_t graph_kind(const std::string &name) {
    if (const kind *k = find_named(KINDS, name)) return k->number;
    const function *f = find_named(FUNCTIONS, name);
    return f == nullptr ? jitnorm_graph_op_wildcard : f->number;
}

} // namespace benchdnn_lite
