// SPDX-License-Identifier: Apache-2.0
// Normalizations of sums: aclnnAddRmsNorm and aclnnAddLayerNorm.
#include "../system/last_error.hpp"
#include "data_type.hpp"
#include "lower.hpp"
#include "rms_problem.hpp"

namespace jitnorm::impl::aclnn {

namespace {

// ---------------------------------------------------------------- aclnnAddRmsNorm

// Without rstdOut CANN has narrow types and a gamma of one row.
outcome check_types(const add_rms_norm_parameters &g) {
    if (!is_float(g.x1->data_type) || (g.rstd == nullptr && g.x1->data_type == ACL_FLOAT))
        return invalid(g.rstd == nullptr ? "without rstdOut x1 must be FLOAT16 or BF16"
                                         : "x1 is none of FLOAT, FLOAT16 and BF16");
    if (outcome checked = check_type({{"x2", g.x2}, {"gamma", g.gamma}, {"yOut", g.y}, {"xOut", g.x}}, g.x1->data_type,
                                     "of the type of x1");
        checked.failed())
        return checked;
    return check_type({{"rstdOut", g.rstd}}, ACL_FLOAT, "FLOAT");
}

outcome check_gamma(const add_rms_norm_parameters &g, row_shape &parted) {
    shape columns = g.gamma->dims;
    if (g.rstd == nullptr) {
        if (columns.size() != 2 || columns[0] != 1) return invalid("without rstdOut gamma must have the shape [1, D]");
        columns = columns.last(1);
    }
    return row_shape::part(*g.x1, columns, parted).failed()
               ? invalid("gamma must have the shape of the last axes of x1")
               : outcome{};
}

outcome check(const add_rms_norm_parameters &g, row_shape &parted) {
    const std::initializer_list<named_tensor> outputs = {{"yOut", g.y}, {"rstdOut", g.rstd}, {"xOut", g.x}};
    if (outcome checked = check_types(g); checked.failed()) return checked;
    if (outcome checked = check_views({{"x1", g.x1}, {"x2", g.x2}, {"gamma", g.gamma}}); checked.failed())
        return checked;
    if (outcome checked = check_views(outputs); checked.failed()) return checked;
    if (outcome checked = check_outputs(outputs); checked.failed()) return checked;
    if (outcome checked = check_gamma(g, parted); checked.failed()) return checked;
    if (outcome checked = check_epsilon(g.epsilon); checked.failed()) return checked;
    for (const named_tensor &data : {named_tensor{"x2", g.x2}, named_tensor{"yOut", g.y}, named_tensor{"xOut", g.x}})
        if (outcome checked = check_shape(data, g.x1->dims, "x1"); checked.failed()) return checked;
    return check_shape({"rstdOut", g.rstd}, shape_of_statistics(*g.x1, parted), "x1 with ones for the axes of gamma");
}

// ---------------------------------------------------------------- aclnnAddLayerNorm

// All of one type; narrow data with gamma and beta FLOAT; or x1 or x2 narrow and all else FLOAT.
outcome check_types(const add_layer_norm_parameters &g) {
    const int one = g.x1->data_type, other = g.x2->data_type;
    if (!is_float(one) || !is_float(other) || (one != other && one != ACL_FLOAT && other != ACL_FLOAT))
        return invalid("x1 and x2 must be of one type, FLOAT, FLOAT16 or BF16, or one of them FLOAT");
    const int data = one == other ? one : ACL_FLOAT;
    const bool float_affine = is_narrow(data) && g.gamma->data_type == ACL_FLOAT;
    if (outcome checked =
            check_type({{"biasOptional", g.bias}, {"yOut", g.y}, {"xOut", g.x}}, data, "of the type of the sum");
        checked.failed())
        return checked;
    if (outcome checked = check_type({{"gamma", g.gamma}, {"beta", g.beta}}, float_affine ? ACL_FLOAT : data,
                                     "of the type of the sum, or both FLOAT");
        checked.failed())
        return checked;
    return check_type({{"meanOut", g.mean}, {"rstdOut", g.rstd}}, ACL_FLOAT, "FLOAT");
}

// A bias has a value for each column, or is repeated in each row.
outcome place_bias(const add_layer_norm_parameters &g, const row_shape &parted, request &result) {
    if (g.bias == nullptr) return {};
    const size_t rows = g.bias->dims.size() - std::min(g.bias->dims.size(), parted.columns().size());
    if (!equal(shape(g.bias->dims).subspan(rows), parted.columns()) || (rows != 0 && !equal(g.bias->dims, g.x1->dims)))
        return invalid("biasOptional must have the shape of gamma or of x1");
    for (size_t d = 0; d < rows; ++d)
        if (g.bias->dims[d] != 1 && g.bias->strides[d] != 0)
            return invalid(
                "biasOptional has a value for each element of x1, which is not supported: one for each column");
    result.sides.bias = place_columns(*g.bias, parted);
    result.problem.attr.residual.bias_type = core_type(g.bias->data_type);
    return {};
}

outcome check_shapes(const add_layer_norm_parameters &g, row_shape &parted) {
    const std::initializer_list<named_tensor> outputs = {
        {"yOut", g.y}, {"meanOut", g.mean}, {"rstdOut", g.rstd}, {"xOut", g.x}};
    if (outcome checked =
            check_views({{"x1", g.x1}, {"x2", g.x2}, {"gamma", g.gamma}, {"beta", g.beta}, {"biasOptional", g.bias}});
        checked.failed())
        return checked;
    if (outcome checked = check_views(outputs); checked.failed()) return checked;
    if (outcome checked = check_outputs(outputs); checked.failed()) return checked;
    if (outcome checked = check_contiguous(outputs); checked.failed()) return checked;
    if (count(g.x1->dims) == 0) return invalid("x1 has no elements");
    if (outcome checked = part(*g.x1, *g.gamma, parted); checked.failed()) return checked;
    if (outcome checked = check_epsilon(g.epsilon); checked.failed()) return checked;
    if (outcome checked = check_shape({"beta", g.beta}, g.gamma->dims, "gamma"); checked.failed()) return checked;
    for (const named_tensor &data : {named_tensor{"x2", g.x2}, named_tensor{"yOut", g.y}, named_tensor{"xOut", g.x}})
        if (outcome checked = check_shape(data, g.x1->dims, "x1"); checked.failed()) return checked;
    const std::vector<dim_t> statistics = shape_of_statistics(*g.x1, parted);
    for (const named_tensor &statistic : {named_tensor{"meanOut", g.mean}, named_tensor{"rstdOut", g.rstd}})
        if (outcome checked = check_shape(statistic, statistics, "x1 with ones for the axes of gamma");
            checked.failed())
            return checked;
    return {};
}

layer_norm::problem make_problem(const add_layer_norm_parameters &g, const row_shape &parted) {
    layer_norm::problem p;
    p.prop_kind = jitnorm_forward_training;
    p.flags = unsigned(jitnorm_use_scale) | unsigned(jitnorm_use_shift);
    p.epsilon = float(g.epsilon);
    p.normalized_axes = parted.normalized_axes();
    p.form = layer_norm::statistics_form::inverse_deviation;
    p.src = parted.data(*g.x1);
    p.dst = parted.data(*g.y);
    p.scale_shift_type = core_type(g.gamma->data_type);
    p.attr.residual.added = parted.data(*g.x2);
    if (g.x != nullptr) p.attr.residual.sum = parted.data(*g.x);
    return p;
}

} // namespace

outcome lower(const add_rms_norm_parameters &g, request &result) {
    row_shape parted;
    if (outcome checked = check(g, parted); checked.failed()) return checked;
    result.op = operation::add_rms_norm;
    result.has_work = count(g.x1->dims) != 0;
    layer_norm::problem &p = result.problem = begin_rms_problem(*g.x1, *g.gamma, parted);
    p.prop_kind = g.rstd != nullptr ? jitnorm_forward_training : jitnorm_forward_inference;
    p.epsilon = float(g.epsilon);
    p.dst = parted.data(*g.y);
    p.statistics = make_dense(parted.rows(), jitnorm_f32);
    p.attr.residual.added = parted.data(*g.x2);
    if (g.x != nullptr) p.attr.residual.sum = parted.data(*g.x);
    result.sides.scale = place_columns(*g.gamma, parted);
    result.parameters = {{g.x1, layer_norm::SRC},
                         {g.x2, layer_norm::RESIDUAL},
                         {g.gamma, layer_norm::SCALE},
                         {g.y, layer_norm::DST},
                         {g.rstd, if_wanted(g.rstd, layer_norm::VARIANCE)},
                         {g.x, if_wanted(g.x, layer_norm::SUM)}};
    result.inputs = 3;
    return g.rstd == nullptr ? outcome{} : place_statistics(*g.rstd, *g.rstd, parted, result);
}

outcome lower(const add_layer_norm_parameters &given, request &result) {
    add_layer_norm_parameters g = given;
    if (!g.additional_output) g.x = nullptr;
    row_shape parted;
    if (outcome checked = check_types(g); checked.failed()) return checked;
    if (outcome checked = check_shapes(g, parted); checked.failed()) return as_tiling(checked);
    result.op = operation::add_layer_norm;
    result.problem = make_problem(g, parted);
    if (outcome placed = place_bias(g, parted, result); placed.failed()) return as_tiling(placed);
    result.sides.scale = place_columns(*g.gamma, parted);
    result.sides.shift = place_columns(*g.beta, parted);
    result.parameters = {{g.x1, layer_norm::SRC},
                         {g.x2, layer_norm::RESIDUAL},
                         {g.gamma, layer_norm::SCALE},
                         {g.beta, layer_norm::SHIFT},
                         {g.bias, if_wanted(g.bias, layer_norm::BIAS)},
                         {g.y, layer_norm::DST},
                         {g.mean, layer_norm::MEAN},
                         {g.rstd, layer_norm::VARIANCE},
                         {given.x, if_wanted(g.x, layer_norm::SUM)}};
    result.inputs = 5;
    return place_statistics(*g.mean, *g.rstd, parted, result);
}

} // namespace jitnorm::impl::aclnn
