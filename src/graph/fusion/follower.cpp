// SPDX-License-Identifier: Apache-2.0
#include "fusion.hpp"

#include <algorithm>
#include <cmath>

#include "../../tensor/memory_desc.hpp"

namespace jitnorm::impl::graph {

namespace {

using names = std::initializer_list<jitnorm_graph_op_attr_t>;

constexpr auto ALPHA = jitnorm_graph_op_attr_alpha, BETA_ATTR = jitnorm_graph_op_attr_beta,
               MIN = jitnorm_graph_op_attr_min, MAX = jitnorm_graph_op_attr_max, MODE = jitnorm_graph_op_attr_mode,
               SCALES = jitnorm_graph_op_attr_scales, ZPS = jitnorm_graph_op_attr_zps,
               QTYPE = jitnorm_graph_op_attr_qtype, QUANTIZED_AXIS = jitnorm_graph_op_attr_axis,
               BROADCAST = jitnorm_graph_op_attr_auto_broadcast, NONE = jitnorm_graph_op_attr_undef;

// ---------------------------------------------------------------- functions

// The post-op that an operation on one tensor becomes. Each of its two parameters is the value of an attribute or, if
// the attribute's name is NONE, the number alpha or beta.
struct function {
    jitnorm_graph_op_kind_t kind;
    const char *name;
    jitnorm_alg_kind_t alg;
    jitnorm_graph_op_attr_t alpha_name = NONE, beta_name = NONE;
    float alpha = 0, beta = 0;
    bool has_default = false; // the attributes may be missing; then the parameters are alpha and beta
};

constexpr function FUNCTIONS[] = {
    {jitnorm_graph_op_abs, "Abs", jitnorm_eltwise_abs},
    {jitnorm_graph_op_clamp, "Clamp", jitnorm_eltwise_clip, MIN, MAX},
    {jitnorm_graph_op_elu, "Elu", jitnorm_eltwise_elu, ALPHA},
    {jitnorm_graph_op_exp, "Exp", jitnorm_eltwise_exp},
    {jitnorm_graph_op_gelu, "GELU", jitnorm_eltwise_gelu_erf},
    {jitnorm_graph_op_hard_sigmoid, "HardSigmoid", jitnorm_eltwise_hardsigmoid, ALPHA, BETA_ATTR},
    {jitnorm_graph_op_hard_swish, "HardSwish", jitnorm_eltwise_hardswish, NONE, NONE, 1.0F / 6, 0.5F},
    {jitnorm_graph_op_leaky_relu, "LeakyReLU", jitnorm_eltwise_relu, ALPHA},
    {jitnorm_graph_op_log, "Log", jitnorm_eltwise_log},
    {jitnorm_graph_op_mish, "Mish", jitnorm_eltwise_mish},
    {jitnorm_graph_op_sigmoid, "Sigmoid", jitnorm_eltwise_logistic},
    {jitnorm_graph_op_softplus, "SoftPlus", jitnorm_eltwise_soft_relu, BETA_ATTR, NONE, 1, 0, true},
    {jitnorm_graph_op_relu, "ReLU", jitnorm_eltwise_relu},
    {jitnorm_graph_op_round, "Round", jitnorm_eltwise_round},
    {jitnorm_graph_op_sqrt, "Sqrt", jitnorm_eltwise_sqrt},
    {jitnorm_graph_op_square, "Square", jitnorm_eltwise_square},
    {jitnorm_graph_op_tanh, "Tanh", jitnorm_eltwise_tanh},
};

// The post-op that an operation on two tensors becomes.
struct of_two {
    jitnorm_graph_op_kind_t kind;
    const char *name;
    jitnorm_alg_kind_t alg;
    bool commutes;
};

constexpr of_two COMBINATIONS[] = {
    {jitnorm_graph_op_add, "Add", jitnorm_binary_add, true},
    {jitnorm_graph_op_multiply, "Multiply", jitnorm_binary_mul, true},
    {jitnorm_graph_op_maximum, "Maximum", jitnorm_binary_max, true},
    {jitnorm_graph_op_minimum, "Minimum", jitnorm_binary_min, true},
    {jitnorm_graph_op_divide, "Divide", jitnorm_binary_div, false},
    {jitnorm_graph_op_subtract, "Subtract", jitnorm_binary_sub, false},
};

template <typename Table>
auto find(const Table &table, jitnorm_graph_op_kind_t kind) {
    const auto *found = std::find_if(std::begin(table), std::end(table), [&](auto &row) { return row.kind == kind; });
    return found == std::end(table) ? nullptr : found;
}

bool has_only(const jitnorm_graph_op &op, names known) {
    return std::all_of(op.attributes.begin(), op.attributes.end(), [&](const auto &given) {
        return std::find(known.begin(), known.end(), given.first) != known.end();
    });
}

bool read_parameter(const jitnorm_graph_op &op, jitnorm_graph_op_attr_t name, bool has_default, float &value) {
    if (name == NONE) return true;
    return (has_default || op.attributes.contains(name)) && read(op, name, value) && !std::isnan(value);
}

bool understand_gelu(const jitnorm_graph_op &op, eltwise_post_op &result) {
    std::string mode = "gelu_erf";
    if (!has_only(op, {MODE}) || !read(op, MODE, mode) || (mode != "gelu_erf" && mode != "gelu_tanh")) return false;
    result.alg = mode == "gelu_erf" ? jitnorm_eltwise_gelu_erf : jitnorm_eltwise_gelu_tanh;
    return true;
}

// ---------------------------------------------------------------- Quantize

constexpr int64_t LARGEST_ZERO_POINT = int64_t(1) << 24; // f32 represents all integers up to this one

} // namespace

const char *name_of_follower(jitnorm_graph_op_kind_t kind) {
    if (const function *f = find(FUNCTIONS, kind)) return f->name;
    if (const of_two *c = find(COMBINATIONS, kind)) return c->name;
    return kind == jitnorm_graph_op_type_cast ? "TypeCast" : "Quantize";
}

bool understand_function(const jitnorm_graph_op &op, eltwise_post_op &result) {
    const function *f = find(FUNCTIONS, op.kind);
    if (f == nullptr) return false;
    result = {f->alg, f->alpha, f->beta};
    if (op.kind == jitnorm_graph_op_gelu) return understand_gelu(op, result);
    return has_only(op, {f->alpha_name, f->beta_name}) &&
           read_parameter(op, f->alpha_name, f->has_default, result.alpha) &&
           read_parameter(op, f->beta_name, f->has_default, result.beta);
}

bool understand_combination(const jitnorm_graph_op &op, size_t value, jitnorm_alg_kind_t &alg, size_t &other) {
    const of_two *c = find(COMBINATIONS, op.kind);
    if (c == nullptr || op.inputs.size() != 2 || op.inputs[0].id == op.inputs[1].id) return false;
    std::string broadcast = "numpy";
    if (!has_only(op, {BROADCAST}) || !read(op, BROADCAST, broadcast)) return false;
    if (broadcast != "numpy" && broadcast != "none") return false;
    other = op.inputs[0].id == value ? 1 : 0;
    alg = c->alg;
    return other == 1 || c->commutes;
}

bool is_addition(const jitnorm_graph_op &op) {
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef;
    size_t other = 0;
    return op.kind == jitnorm_graph_op_add && !op.inputs.empty() &&
           understand_combination(op, op.inputs[0].id, alg, other);
}

bool is_silu(const jitnorm_graph_op &sigmoid, const jitnorm_graph_op &product) {
    eltwise_post_op function;
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef;
    size_t z = 0;
    return sigmoid.kind == jitnorm_graph_op_sigmoid && sigmoid.inputs.size() == 1 && sigmoid.outputs.size() == 1 &&
           product.kind == jitnorm_graph_op_multiply && product.outputs.size() == 1 &&
           understand_function(sigmoid, function) && understand_combination(product, sigmoid.outputs[0].id, alg, z) &&
           product.inputs[z].id == sigmoid.inputs[0].id &&
           sigmoid.outputs[0].data_type == product.inputs[z].data_type &&
           product.outputs[0].data_type == product.inputs[z].data_type;
}

bool may_broadcast(const jitnorm_graph_op &op) {
    std::string broadcast = "numpy";
    return read(op, BROADCAST, broadcast) && broadcast == "numpy";
}

jitnorm_data_type_t type_of_combination(jitnorm_data_type_t a, jitnorm_data_type_t b) {
    if (!is_single_or_half(a) || !is_single_or_half(b)) return jitnorm_data_type_undef;
    if (a == b) return a;
    return a == jitnorm_f32 || b == jitnorm_f32 ? jitnorm_f32 : jitnorm_data_type_undef;
}

bool understand_quantize(const jitnorm_graph_op &op, float &scale, int64_t &zero_point) {
    std::vector<float> scales;
    std::vector<int64_t> zero_points = {0};
    std::string qtype = "per_tensor";
    int64_t axis = 1;
    const jitnorm_data_type_t to = op.outputs[0].data_type;
    if (op.kind != jitnorm_graph_op_quantize || (!is_int8(to) && !(is_f8(to) && !op.attributes.contains(ZPS))))
        return false;
    const bool readable = has_only(op, {SCALES, ZPS, QTYPE, QUANTIZED_AXIS}) && read(op, SCALES, scales) &&
                          read(op, ZPS, zero_points) && read(op, QTYPE, qtype) && read(op, QUANTIZED_AXIS, axis);
    if (!readable || qtype != "per_tensor" || scales.size() != 1 || zero_points.size() != 1) return false;
    scale = scales[0];
    zero_point = zero_points[0];
    return std::isnormal(scale) && std::isnormal(1 / scale) && -LARGEST_ZERO_POINT <= zero_point &&
           zero_point <= LARGEST_ZERO_POINT;
}

} // namespace jitnorm::impl::graph
