// SPDX-License-Identifier: Apache-2.0
#include "fusion.hpp"

#include <algorithm>
#include <cmath>

#include "follower.hpp"

namespace jitnorm::impl::graph {

namespace {

constexpr size_t MOST_FUNCTIONS = 19;

bool is_narrow(jitnorm_data_type_t type) { return type == jitnorm_bf16 || type == jitnorm_f16; }

bool is_f32_if_used(const port &p) { return p.how == port::use::unused || p.type == jitnorm_f32; }

} // namespace

std::optional<fusion> fusion::begin(const jitnorm_graph_op &op, const norm_op &norm) {
    const bool fits = norm.is_forward && normalizes_last_axis(norm, op.inputs[0].ndims) &&
                      is_f32_if_used(norm[GAMMA]) && is_f32_if_used(norm[BETA]);
    return fits ? std::optional(fusion(op, norm)) : std::nullopt;
}

bool fusion::has_shape_of_src(const logical_tensor &lt) const {
    return !is_shape_known(lt) || !is_shape_known(src_) ||
           std::equal(lt.dims, lt.dims + lt.ndims, src_.dims, src_.dims + src_.ndims);
}

bool fusion::append(const jitnorm_graph_op &op) {
    if (is_quantized_ || op.outputs.size() != 1 || !has_shape_of_src(op.outputs[0])) return false;
    if (!cast(op) && !apply(op) && !combine(op) && !quantize(op)) return false;
    result_ = op.outputs[0];
    norm_.ports[DST] = {port::use::written, result_.id, result_.data_type};
    norm_.name += "+" + std::string(name_of_follower(op.kind));
    return true;
}

// What is normalized is rounded once, to the last type: the cast itself does nothing.
bool fusion::cast(const jitnorm_graph_op &op) {
    const jitnorm_data_type_t from = result_.data_type, to = op.outputs[0].data_type;
    const bool fits = op.kind == jitnorm_graph_op_type_cast && op.inputs.size() == 1 && op.attributes.empty() &&
                      ((from == jitnorm_f32 && is_narrow(to)) || (is_narrow(from) && to == jitnorm_f32));
    if (!fits || is_cast_ || !norm_.followers.empty()) return false;
    return is_cast_ = true;
}

bool fusion::apply(const jitnorm_graph_op &op) {
    eltwise_post_op function;
    if (norm_.followers.size() == MOST_FUNCTIONS || op.inputs.size() != 1 ||
        op.outputs[0].data_type != result_.data_type || !understand_function(op, function))
        return false;
    norm_.followers.emplace_back(function);
    return true;
}

// The other tensor must be known to be broadcast to the values: which of both gives the result its shape depends on it.
bool fusion::combine(const jitnorm_graph_op &op) {
    combination found;
    size_t other = 0;
    if (norm_.followers.size() == MOST_FUNCTIONS || !understand_combination(op, result_.id, found.alg, other))
        return false;
    const logical_tensor &lt = op.inputs[other];
    if (!is_shape_known(src_) || !is_shape_known(lt) || lt.ndims > src_.ndims || !broadcasts_to(lt, dims_of(src_)))
        return false;
    if (!may_broadcast(op) && !std::equal(lt.dims, lt.dims + lt.ndims, src_.dims, src_.dims + src_.ndims)) return false;
    if (op.outputs[0].data_type != type_of_combination(result_.data_type, lt.data_type)) return false;
    found.other = {port::use::read, lt.id, lt.data_type};
    norm_.followers.emplace_back(found);
    return true;
}

// value * (1 / scale) + zero point, rounded twice, then the conversion to the type of dst. The product is an fma with
// -0, which changes no bit.
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
