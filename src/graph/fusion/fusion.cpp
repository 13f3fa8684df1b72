// SPDX-License-Identifier: Apache-2.0
#include "fusion.hpp"

#include <algorithm>
#include <cmath>

#include "../../tensor/memory_desc.hpp"

namespace jitnorm::impl::graph {

// ---- The operations that may follow a normalization. oneDNN Graph describes which tensors and attributes each kind
// has; an operation that differs from this is no follower. The functions understand_...() return nothing for an
// operation that they do not recognize.

namespace {

constexpr auto ALPHA = jitnorm_graph_op_attr_alpha, BETA_ATTR = jitnorm_graph_op_attr_beta,
               MIN = jitnorm_graph_op_attr_min, MAX = jitnorm_graph_op_attr_max, MODE = jitnorm_graph_op_attr_mode,
               SCALES = jitnorm_graph_op_attr_scales, ZPS = jitnorm_graph_op_attr_zps,
               QTYPE = jitnorm_graph_op_attr_qtype, QUANTIZED_AXIS = jitnorm_graph_op_attr_axis,
               BROADCAST = jitnorm_graph_op_attr_auto_broadcast, NONE = jitnorm_graph_op_attr_undef;

// The post-op that an operation on one tensor becomes. Each of its two parameters is the value of an attribute or, if
// the attribute's name is NONE, the number alpha or beta.
struct of_one {
    jitnorm_graph_op_kind_t kind;
    const char *name;
    jitnorm_alg_kind_t alg;
    jitnorm_graph_op_attr_t alpha_name = NONE, beta_name = NONE;
    float alpha = 0, beta = 0;
    bool has_default = false; // the attributes may be missing; then the parameters are alpha and beta
};

constexpr of_one FUNCTIONS[] = {
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

const char *name_of_follower(jitnorm_graph_op_kind_t kind) {
    if (const of_one *f = find(FUNCTIONS, kind)) return f->name;
    if (const of_two *c = find(COMBINATIONS, kind)) return c->name;
    return kind == jitnorm_graph_op_type_cast ? "TypeCast" : "Quantize";
}

bool has_only(const jitnorm_graph_op &op, std::initializer_list<jitnorm_graph_op_attr_t> known) {
    return std::ranges::all_of(op.attributes,
                               [&](const auto &given) { return std::ranges::count(known, given.first) != 0; });
}

bool read_parameter(const jitnorm_graph_op &op, jitnorm_graph_op_attr_t name, bool has_default, float &value) {
    if (name == NONE) return true;
    return (has_default || op.attributes.contains(name)) && read(op, name, value) && !std::isnan(value);
}

std::optional<eltwise_post_op> understand_gelu(const jitnorm_graph_op &op) {
    std::string mode = "gelu_erf";
    if (!has_only(op, {MODE}) || !read(op, MODE, mode) || (mode != "gelu_erf" && mode != "gelu_tanh")) return {};
    return eltwise_post_op{mode == "gelu_erf" ? jitnorm_eltwise_gelu_erf : jitnorm_eltwise_gelu_tanh};
}

// Recognizes a function of one tensor.
std::optional<eltwise_post_op> understand_function(const jitnorm_graph_op &op) {
    const of_one *f = find(FUNCTIONS, op.kind);
    if (f == nullptr || op.inputs.size() != 1) return {};
    if (op.kind == jitnorm_graph_op_gelu) return understand_gelu(op);
    eltwise_post_op result = {f->alg, f->alpha, f->beta};
    const bool is_read = has_only(op, {f->alpha_name, f->beta_name}) &&
                         read_parameter(op, f->alpha_name, f->has_default, result.alpha) &&
                         read_parameter(op, f->beta_name, f->has_default, result.beta);
    return is_read ? std::optional(result) : std::nullopt;
}

// A function of two different tensors, one of which is the value that it is applied to.
struct function_of_two {
    jitnorm_alg_kind_t alg;
    size_t other;       // the index of the other tensor among the inputs
    bool may_broadcast; // whether the attribute auto_broadcast is "numpy", the default
};

// Recognizes one. The value has the id `value`; it must be the first input, unless the function is commutative.
std::optional<function_of_two> understand_combination(const jitnorm_graph_op &op, size_t value) {
    const of_two *c = find(COMBINATIONS, op.kind);
    if (c == nullptr || op.inputs.size() != 2 || op.inputs[0].id == op.inputs[1].id) return {};
    std::string broadcast = "numpy";
    if (!has_only(op, {BROADCAST}) || !read(op, BROADCAST, broadcast)) return {};
    if (broadcast != "numpy" && broadcast != "none") return {};
    const bool is_first = op.inputs[0].id == value;
    if (!is_first && !c->commutes) return {};
    return function_of_two{c->alg, is_first ? 1U : 0U, broadcast == "numpy"};
}

// The result's type for operands of two types; undef if an operation may not have both types.
jitnorm_data_type_t type_of_combination(jitnorm_data_type_t a, jitnorm_data_type_t b) {
    if (!is_single_or_half(a) || !is_single_or_half(b)) return jitnorm_data_type_undef;
    if (a == b) return a;
    return a == jitnorm_f32 || b == jitnorm_f32 ? jitnorm_f32 : jitnorm_data_type_undef;
}

// ---- fusion

constexpr size_t MOST_FUNCTIONS = 19;
constexpr int64_t LARGEST_ZERO_POINT = int64_t(1) << 24; // f32 represents all integers up to this one

bool is_f32_if_used(const port &p) { return p.how == use::absent || p.type == jitnorm_f32; }

// Whether all sizes that both shapes know are equal.
bool has_shape(const logical_tensor &lt, const logical_tensor &src) {
    return !is_shape_known(lt) || !is_shape_known(src) || std::ranges::equal(dims_of(lt), dims_of(src));
}

// Whether a function of src and `other` gives a result of src's shape.
bool goes_with(const function_of_two &f, const logical_tensor &src, const logical_tensor &other) {
    if (!is_shape_known(other) || other.ndims > src.ndims || !broadcasts_to(other, dims_of(src))) return false;
    return f.may_broadcast || std::ranges::equal(dims_of(src), dims_of(other));
}

} // namespace

bool is_silu(const jitnorm_graph_op &sigmoid, const jitnorm_graph_op &product) {
    if (sigmoid.kind != jitnorm_graph_op_sigmoid || sigmoid.outputs.size() != 1 || !understand_function(sigmoid) ||
        product.kind != jitnorm_graph_op_multiply || product.outputs.size() != 1)
        return false;
    const auto multiplied = understand_combination(product, sigmoid.outputs[0].id);
    if (!multiplied) return false;
    const logical_tensor &z = product.inputs[multiplied->other];
    return z.id == sigmoid.inputs[0].id && z.data_type == sigmoid.outputs[0].data_type &&
           z.data_type == product.outputs[0].data_type;
}

bool fusion::prepend(const jitnorm_graph_op &op, bool is_kept) {
    if (op.kind != jitnorm_graph_op_add || op.inputs.empty() || op.outputs.size() != 1) return false;
    const auto addition = understand_combination(op, op.inputs[0].id);
    if (!addition || !std::ranges::all_of(op.inputs, is_shape_known)) return false;
    const size_t whole = goes_with(*addition, op.inputs[0], op.inputs[1]) ? 0 : 1;
    const logical_tensor &src = op.inputs[whole], &residual = op.inputs[1 - whole];
    if (!goes_with(*addition, src, residual) || !has_shape(op.outputs[0], src)) return false;
    if (!normalizes_last_axis(norm_, src.ndims) ||
        type_of_combination(src.data_type, residual.data_type) != src_.data_type)
        return false;
    norm_.ports[SRC] = {use::read, src.id, src.data_type};
    norm_.ports[RESIDUAL] = {use::read, residual.id, residual.data_type};
    if (is_kept) norm_.ports[SUM] = {use::written, src_.id, src_.data_type};
    norm_.name = "Add+" + norm_.name;
    src_ = src;
    return true;
}

bool fusion::append(const jitnorm_graph_op &op, const logical_tensor *z) {
    if (is_quantized_ || op.outputs.size() != 1 || !has_shape(op.outputs[0], src_)) return false;
    if (!norm_.is_modulated && (!is_f32_if_used(norm_[SCALE]) || !is_f32_if_used(norm_[SHIFT]))) return false;
    const bool fits = z != nullptr ? op.kind == jitnorm_graph_op_multiply && combine(op, z)
                                   : cast(op) || apply(op) || combine(op) || quantize(op);
    if (!fits) return false;
    result_ = op.outputs[0];
    norm_.ports[DST] = {use::written, result_.id, result_.data_type};
    norm_.name += (z != nullptr ? "+Sigmoid+Multiply+" : "+") + std::string(name_of_follower(op.kind));
    return true;
}

// A cast only changes the type of dst: a normalized value is rounded once, to the type that the cast writes.
bool fusion::cast(const jitnorm_graph_op &op) {
    const jitnorm_data_type_t from = result_.data_type, to = op.outputs[0].data_type;
    const bool fits = op.kind == jitnorm_graph_op_type_cast && op.inputs.size() == 1 && op.attributes.empty() &&
                      ((from == jitnorm_f32 && is_half(to)) || (is_half(from) && to == jitnorm_f32));
    if (!fits || is_cast_ || functions_ != 0) return false;
    return is_cast_ = true;
}

bool fusion::apply(const jitnorm_graph_op &op) {
    const auto function = understand_function(op);
    if (!function || functions_ == MOST_FUNCTIONS || op.outputs[0].data_type != result_.data_type) return false;
    norm_.followers.emplace_back(*function);
    ++functions_;
    return true;
}

// Both shapes must be known. Otherwise the values might be broadcast to the other tensor, whose shape the result then
// has. If the operation multiplies by the product of z and Sigmoid(z), the other tensor is z.
bool fusion::combine(const jitnorm_graph_op &op, const logical_tensor *z) {
    const auto found = understand_combination(op, result_.id);
    if (!found || functions_ == MOST_FUNCTIONS) return false;
    const logical_tensor &lt = z != nullptr ? *z : op.inputs[found->other];
    const bool writes_it =
        std::ranges::any_of(norm_.ports, [&](const port &p) { return p.how == use::written && p.id == lt.id; });
    if (!is_shape_known(src_) || !goes_with(*found, src_, lt) || writes_it) return false;
    if (op.outputs[0].data_type != type_of_combination(result_.data_type, lt.data_type)) return false;
    const jitnorm_alg_kind_t alg = z != nullptr ? jitnorm_binary_mul_silu : found->alg;
    if (!modulate(alg, lt)) norm_.followers.emplace_back(combination{alg, {use::read, lt.id, lt.data_type}});
    ++functions_;
    return true;
}

// Makes the tensor the scale or the shift, if it can be: y = fma(xhat, scale, shift).
bool fusion::modulate(jitnorm_alg_kind_t alg, const logical_tensor &other) {
    if (alg != jitnorm_binary_mul && alg != jitnorm_binary_add) return false;
    const slot place = alg == jitnorm_binary_mul ? SCALE : SHIFT;
    const bool is_free = !norm_.reads(SHIFT) && (!norm_.reads(SCALE) || (norm_.is_modulated && place == SHIFT)) &&
                         norm_.followers.empty();
    const bool has_columns = other.ndims > 0 && other.dims[other.ndims - 1] == src_.dims[src_.ndims - 1];
    if (!is_free || !has_columns) return false;
    norm_.ports[place] = {use::read, other.id, other.data_type};
    return norm_.is_modulated = true;
}

// Takes a quantization to 8 bits with one scale and one zero point for the whole tensor. Refuses scales that are not
// normal numbers or have no normal inverse, and zero points that f32 may not represent: so value * (1 / scale) + zero
// point can be computed in f32. For the types f8 it refuses the attribute zps.
//
// There are two post-ops, each of which rounds once, before the conversion to the type of dst. The first post-op is an
// fma that adds -0, which changes no bit of the product.
bool fusion::quantize(const jitnorm_graph_op &op) {
    const jitnorm_data_type_t from = result_.data_type, to = op.outputs[0].data_type;
    if (op.kind != jitnorm_graph_op_quantize || op.inputs.size() != 1 || from != jitnorm_f32) return false;
    if (!is_int8(to) && !(is_f8(to) && !op.attributes.contains(ZPS))) return false;
    std::vector<float> scales;
    std::vector<int64_t> zero_points = {0};
    std::string qtype = "per_tensor";
    int64_t axis = 1;
    const bool readable = has_only(op, {SCALES, ZPS, QTYPE, QUANTIZED_AXIS}) && read(op, SCALES, scales) &&
                          read(op, ZPS, zero_points) && read(op, QTYPE, qtype) && read(op, QUANTIZED_AXIS, axis);
    if (!readable || qtype != "per_tensor" || scales.size() != 1 || zero_points.size() != 1) return false;
    const float inverse = 1 / scales[0], zero_point = float(zero_points[0]);
    const bool fits = std::isnormal(scales[0]) && std::isnormal(inverse) && -LARGEST_ZERO_POINT <= zero_points[0] &&
                      zero_points[0] <= LARGEST_ZERO_POINT;
    if (!fits) return false;
    norm_.followers.emplace_back(eltwise_post_op{jitnorm_eltwise_linear, inverse, -0.0F});
    if (zero_point != 0) norm_.followers.emplace_back(eltwise_post_op{jitnorm_eltwise_linear, 1, zero_point});
    return is_quantized_ = true;
}

} // namespace jitnorm::impl::graph
