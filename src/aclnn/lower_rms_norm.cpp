// SPDX-License-Identifier: Apache-2.0
// RMS normalization, forward and backward. CANN's numbers for what is refused differ from those of layer
// normalization: 161002 for types, 561002 for all else.
#include <algorithm>
#include <cmath>

#include "../core/last_error.hpp"
#include "data_type.hpp"
#include "lower.hpp"
#include "lower_checks.hpp"

namespace jitnorm::impl::aclnn {

namespace {

using layer_norm::problem;

// ---------------------------------------------------------------- checks

// Whether the tensors have the type of x, and those after them FLOAT; gamma may have either.
outcome check_types(const tensor &x, const tensor &gamma, std::initializer_list<named_tensor> as_x,
                    std::initializer_list<named_tensor> floats) {
    if (core_type(x.data_type) == jitnorm_data_type_undef) return invalid("x is none of FLOAT, FLOAT16 and BF16");
    if (outcome checked = check_affine_type({"gamma", &gamma}, x); checked.failed()) return checked;
    for (const auto &[name, t] : as_x)
        if (t->data_type != x.data_type) return invalid(explain("%s must have the type of x", name));
    for (const auto &[name, t] : floats)
        if (t->data_type != ACL_FLOAT) return invalid(explain("%s must be FLOAT", name));
    return {};
}

outcome as_tiling(outcome refused) {
    return refused.status == JITNORM_ACLNN_ERR_PARAM_INVALID ? tiling(refused.reason) : refused;
}

outcome check_views(std::initializer_list<named_tensor> inputs, std::initializer_list<named_tensor> outputs) {
    if (outcome checked = check_tensors(inputs); checked.failed()) return as_tiling(checked);
    if (outcome checked = check_tensors(outputs); checked.failed()) return as_tiling(checked);
    return as_tiling(check_outputs(outputs));
}

// gamma's shape are the normalized dimensions.
outcome part(const tensor &x, const tensor &gamma, row_shape &parted) {
    if (count(gamma.dims) == 0) return tiling("gamma has no elements");
    return row_shape::part(x, gamma.dims, parted).failed() ? tiling("gamma must have the shape of the last axes of x")
                                                           : outcome{};
}

outcome check_shape(const named_tensor &checked, shape expected, const char *what) {
    return equal(checked.t->dims, expected) ? outcome{}
                                            : tiling(explain("%s must have the shape of %s", checked.name, what));
}

outcome check_epsilon(double epsilon) {
    return epsilon >= 0 && std::isfinite(float(epsilon)) ? outcome{}
                                                         : tiling("epsilon must be finite and not negative");
}

// The dimensions of x with ones in place of the normalized ones.
std::vector<dim_t> shape_of_statistics(const tensor &x, const row_shape &parted) {
    std::vector<dim_t> dims(x.dims.begin(), x.dims.end());
    std::fill(dims.end() - parted.normalized_axes(), dims.end(), 1);
    return dims;
}

// ---------------------------------------------------------------- the problem

problem begin_problem(const tensor &x, const tensor &gamma, const row_shape &parted) {
    problem p;
    p.flags = unsigned(jitnorm_use_scale) | unsigned(jitnorm_rms_norm);
    p.normalized_axes = parted.normalized_axes();
    p.form = layer_norm::statistics_form::inverse_deviation;
    p.src = parted.data(x);
    p.scale_shift_type = core_type(gamma.data_type);
    return p;
}

void place_gamma(const tensor &gamma, const row_shape &parted, request &result) {
    result.sides.scale = describe(gamma, parted.columns(), gamma.strides);
}

outcome check(const rms_norm_parameters &g, row_shape &parted) {
    if (outcome checked = check_types(*g.x, *g.gamma, {{"yOut", g.y}}, {{"rstdOut", g.rstd}}); checked.failed())
        return checked;
    if (outcome checked = check_views({{"x", g.x}, {"gamma", g.gamma}}, {{"yOut", g.y}, {"rstdOut", g.rstd}});
        checked.failed())
        return checked;
    if (outcome checked = part(*g.x, *g.gamma, parted); checked.failed()) return checked;
    if (outcome checked = check_epsilon(g.epsilon); checked.failed()) return checked;
    if (outcome checked = check_shape({"yOut", g.y}, g.x->dims, "x"); checked.failed()) return checked;
    return check_shape({"rstdOut", g.rstd}, shape_of_statistics(*g.x, parted), "x with ones for the axes of gamma");
}

outcome check(const rms_norm_grad_parameters &g, row_shape &parted) {
    if (outcome checked =
            check_types(*g.x, *g.gamma, {{"dy", g.dy}, {"dxOut", g.dx}}, {{"rstd", g.rstd}, {"dgammaOut", g.dgamma}});
        checked.failed())
        return checked;
    if (outcome checked = check_views({{"dy", g.dy}, {"x", g.x}, {"rstd", g.rstd}, {"gamma", g.gamma}},
                                      {{"dxOut", g.dx}, {"dgammaOut", g.dgamma}});
        checked.failed())
        return checked;
    if (g.x->dims.size() < 2) return tiling("x has 1 dimension, 2 to 8 are supported");
    if (outcome checked = part(*g.x, *g.gamma, parted); checked.failed()) return checked;
    if (outcome checked = check_shape({"dy", g.dy}, g.x->dims, "x"); checked.failed()) return checked;
    if (outcome checked = check_shape({"dxOut", g.dx}, g.x->dims, "x"); checked.failed()) return checked;
    if (outcome checked = check_shape({"dgammaOut", g.dgamma}, g.gamma->dims, "gamma"); checked.failed())
        return checked;
    return check_shape({"rstd", g.rstd}, parted.rows(), "x without the axes of gamma");
}

} // namespace

outcome lower(const rms_norm_parameters &g, request &result) {
    row_shape parted;
    if (outcome checked = check(g, parted); checked.failed()) return checked;
    result.op = operation::rms_norm;
    result.problem = begin_problem(*g.x, *g.gamma, parted);
    result.problem.prop_kind = jitnorm_forward_training;
    result.problem.epsilon = float(g.epsilon);
    result.problem.dst = parted.data(*g.y);
    place_gamma(*g.gamma, parted, result);
    result.parameters = {
        {g.x, layer_norm::SRC}, {g.gamma, layer_norm::SCALE}, {g.y, layer_norm::DST}, {g.rstd, layer_norm::VARIANCE}};
    result.inputs = 2;
    return place_statistics(*g.rstd, *g.rstd, parted, result);
}

outcome lower(const rms_norm_grad_parameters &g, request &result) {
    row_shape parted;
    if (outcome checked = check(g, parted); checked.failed()) return checked;
    result.op = operation::rms_norm_grad;
    result.problem = begin_problem(*g.x, *g.gamma, parted);
    result.problem.prop_kind = jitnorm_backward;
    result.problem.diff_dst = parted.data(*g.dy);
    result.problem.diff_src = parted.data(*g.dx);
    place_gamma(*g.gamma, parted, result);
    result.sides.diff_scale = describe(*g.dgamma, parted.columns(), g.dgamma->strides);
    result.parameters = {{g.dy, layer_norm::DIFF_DST},   {g.x, layer_norm::SRC},
                         {g.rstd, layer_norm::VARIANCE}, {g.gamma, layer_norm::SCALE},
                         {g.dx, layer_norm::DIFF_SRC},   {g.dgamma, layer_norm::DIFF_SCALE}};
    result.inputs = 4;
    return place_statistics(*g.rstd, *g.rstd, parted, result);
}

} // namespace jitnorm::impl::aclnn
