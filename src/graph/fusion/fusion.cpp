// SPDX-License-Identifier: Apache-2.0
#include "fusion.hpp"

#include <algorithm>
#include <cmath>

namespace jitnorm::impl::graph {

namespace {

constexpr size_t MOST_FUNCTIONS = 19;

bool is_f32_if_used(const port &p) { return p.how == use::absent || p.type == jitnorm_f32; }

bool have_equal_dims(const logical_tensor &a, const logical_tensor &b) {
    return std::equal(a.dims, a.dims + a.ndims, b.dims, b.dims + b.ndims);
}

// Whether all sizes that both shapes know are equal.
bool has_shape(const logical_tensor &lt, const logical_tensor &src) {
    return !is_shape_known(lt) || !is_shape_known(src) || have_equal_dims(lt, src);
}

// Whether the operation, which has the inputs src and `other`, gives a result of src's shape.
bool goes_with(const jitnorm_graph_op &op, const logical_tensor &src, const logical_tensor &other) {
    if (!is_shape_known(other) || other.ndims > src.ndims || !broadcasts_to(other, dims_of(src))) return false;
    return may_broadcast(op) || have_equal_dims(src, other);
}

} // namespace

std::optional<fusion> fusion::begin(const jitnorm_graph_op &op, const norm_op &norm) {
    const bool fits = norm.is_forward && normalizes_last_axis(norm, op.inputs[0].ndims);
    return fits ? std::optional(fusion(op, norm)) : std::nullopt;
}

bool fusion::prepend(const jitnorm_graph_op &op, bool is_kept) {
    if (op.outputs.size() != 1 || !is_addition(op)) return false;
    for (const logical_tensor &lt : op.inputs)
        if (!is_shape_known(lt)) return false;
    const size_t whole = goes_with(op, op.inputs[0], op.inputs[1]) ? 0 : 1;
    const logical_tensor &src = op.inputs[whole], &residual = op.inputs[1 - whole];
    if (!goes_with(op, src, residual) || !has_shape(op.outputs[0], src)) return false;
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

bool fusion::can_follow(const jitnorm_graph_op &op) const {
    if (is_quantized_ || op.outputs.size() != 1 || !has_shape(op.outputs[0], src_)) return false;
    return norm_.is_modulated || (is_f32_if_used(norm_[SCALE]) && is_f32_if_used(norm_[SHIFT]));
}

void fusion::end_with(const jitnorm_graph_op &op) {
    result_ = op.outputs[0];
    norm_.ports[DST] = {use::written, result_.id, result_.data_type};
    norm_.name += "+" + std::string(name_of_follower(op.kind));
}

bool fusion::append(const jitnorm_graph_op &op) {
    if (!can_follow(op) || (!cast(op) && !apply(op) && !combine(op) && !quantize(op))) return false;
    end_with(op);
    return true;
}

bool fusion::append_with_silu(const jitnorm_graph_op &op, const logical_tensor &z) {
    if (!can_follow(op) || op.kind != jitnorm_graph_op_multiply || !combine(op, &z)) return false;
    norm_.name += "+Sigmoid+Multiply";
    end_with(op);
    return true;
}

bool fusion::writes(size_t id) const {
    return std::any_of(norm_.ports.begin(), norm_.ports.end(),
                       [&](const port &p) { return p.how == use::written && p.id == id; });
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
    eltwise_post_op function;
    if (functions_ == MOST_FUNCTIONS || op.inputs.size() != 1 || op.outputs[0].data_type != result_.data_type ||
        !understand_function(op, function))
        return false;
    norm_.followers.emplace_back(function);
    ++functions_;
    return true;
}

// Both shapes must be known. Otherwise the values might be broadcast to the other tensor, whose shape the result then
// has. If the operation multiplies by the product of z and Sigmoid(z), the other tensor is z.
bool fusion::combine(const jitnorm_graph_op &op, const logical_tensor *z) {
    combination found;
    size_t other = 0;
    if (functions_ == MOST_FUNCTIONS || !understand_combination(op, result_.id, found.alg, other)) return false;
    const logical_tensor &lt = z != nullptr ? *z : op.inputs[other];
    if (!is_shape_known(src_) || !goes_with(op, src_, lt) || writes(lt.id)) return false;
    if (op.outputs[0].data_type != type_of_combination(result_.data_type, lt.data_type)) return false;
    if (z != nullptr) found.alg = jitnorm_binary_mul_silu;
    found.other = {use::read, lt.id, lt.data_type};
    if (!modulate(found.alg, lt)) norm_.followers.emplace_back(found);
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

// Computes value * (1 / scale) + zero point in two post-ops, each of which rounds once, before the conversion to the
// type of dst. The first post-op is an fma that adds -0, which changes no bit of the product.
bool fusion::quantize(const jitnorm_graph_op &op) {
    float scale = 1;
    int64_t zero_point = 0;
    if (op.inputs.size() != 1 || result_.data_type != jitnorm_f32 || !understand_quantize(op, scale, zero_point))
        return false;
    norm_.followers.emplace_back(eltwise_post_op{jitnorm_eltwise_linear, 1 / scale, -0.0F});
    if (zero_point != 0) norm_.followers.emplace_back(eltwise_post_op{jitnorm_eltwise_linear, 1, float(zero_point)});
    return is_quantized_ = true;
}

} // namespace jitnorm::impl::graph
