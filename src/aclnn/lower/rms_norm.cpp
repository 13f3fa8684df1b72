// SPDX-License-Identifier: Apache-2.0
// RMS normalization, forward and backward. CANN refuses with other status numbers than in layer normalization: 161002
// for wrong types, 561002 for all else.
#include "../../base/status.hpp"
#include "../objects/data_type.hpp"
#include "checks.hpp"
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

// x must be FLOAT, FLOAT16 or BF16, the tensors `as_x` of the same type, the tensors `floats` FLOAT, and gamma of x's
// type or FLOAT.
acl_status check_types(const tensor &x, const tensor &gamma, std::initializer_list<named_tensor> as_x,
                       std::initializer_list<named_tensor> floats) {
    JITNORM_TRY(check_float({"x", &x}));
    JITNORM_TRY(check_affine_type({"gamma", &gamma}, x));
    JITNORM_TRY(check_type(as_x, x.data_type, ", as x"));
    return check_type(floats, ACL_FLOAT);
}

acl_status check_shapes(const rms_norm_parameters &g, row_shape &parted) {
    JITNORM_TRY(check_views({{"x", g.x}, {"gamma", g.gamma}}, {{"yOut", g.y}, {"rstdOut", g.rstd}}));
    JITNORM_TRY(part({"x", g.x}, *g.gamma, parted));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(check_shape({{"yOut", g.y}}, g.x->dims, "x"));
    return check_shape({{"rstdOut", g.rstd}}, shape_of_statistics(*g.x, parted), "x with ones for the axes of gamma");
}

acl_status check_shapes(const rms_norm_grad_parameters &g, row_shape &parted) {
    JITNORM_TRY(check_views({{"dy", g.dy}, {"x", g.x}, {"rstd", g.rstd}, {"gamma", g.gamma}},
                            {{"dxOut", g.dx}, {"dgammaOut", g.dgamma}}));
    JITNORM_TRY(part({"x", g.x}, *g.gamma, parted));
    JITNORM_TRY(check_shape({{"dy", g.dy}, {"dxOut", g.dx}}, g.x->dims, "x"));
    return check_shape({{"dgammaOut", g.dgamma}}, g.gamma->dims, "gamma");
}

} // namespace

acl_status lower(const rms_norm_parameters &g, request &result) {
    row_shape parted;
    JITNORM_TRY(check_types(*g.x, *g.gamma, {{"yOut", g.y}}, {{"rstdOut", g.rstd}}));
    JITNORM_TRY(as_tiling(check_shapes(g, parted)));
    result.op = g.op;
    result.problem = begin_rms_problem(*g.x, *g.gamma, parted);
    if (g.op == operation::gemma_rms_norm) result.problem.flags |= unsigned(jitnorm_scale_plus_one);
    result.problem.prop_kind = jitnorm_forward_training;
    result.problem.epsilon = float(g.epsilon);
    result.problem[DST] = parted.data(*g.y);
    result.sides[SCALE] = parted.columns_of(*g.gamma);
    using namespace layer_norm;
    result.parameters = with_slots(g.tensors(), {SRC, SCALE, DST, VARIANCE});
    result.inputs = 2;
    const named_tensor rstd = {"rstdOut", g.rstd};
    return place_statistics(rstd, rstd, parted, result);
}

acl_status lower(const rms_norm_grad_parameters &g, request &result) {
    row_shape parted;
    JITNORM_TRY(
        check_types(*g.x, *g.gamma, {{"dy", g.dy}, {"dxOut", g.dx}}, {{"rstd", g.rstd}, {"dgammaOut", g.dgamma}}));
    JITNORM_TRY(as_tiling(check_shapes(g, parted)));
    result.op = g.op;
    result.problem = begin_rms_problem(*g.x, *g.gamma, parted);
    result.problem.prop_kind = jitnorm_backward;
    result.problem[DIFF_DST] = parted.data(*g.dy);
    result.problem[DIFF_SRC] = parted.data(*g.dx);
    result.sides[SCALE] = parted.columns_of(*g.gamma);
    result.sides[DIFF_SCALE] = parted.columns_of(*g.dgamma);
    using namespace layer_norm;
    result.parameters = with_slots(g.tensors(), {DIFF_DST, SRC, VARIANCE, SCALE, DIFF_SRC, DIFF_SCALE});
    result.inputs = 4;
    const named_tensor rstd = {"rstd", g.rstd};
    return as_tiling(place_statistics(rstd, rstd, parted, result));
}

// ---- aclnnAddRmsNorm: RMS normalization of a sum

namespace {

// Without rstdOut CANN takes only FLOAT16 and BF16, and gamma must be a matrix of one row (check_gamma).
acl_status check_types(const add_rms_norm_parameters &g) {
    JITNORM_TRY(check_float({"x1", g.x1}));
    if (g.rstd == nullptr && g.x1->data_type == ACL_FLOAT)
        return invalid("x1 is FLOAT, without rstdOut it must be FLOAT16 or BF16");
    JITNORM_TRY(
        check_type({{"x2", g.x2}, {"gamma", g.gamma}, {"yOut", g.y}, {"xOut", g.x}}, g.x1->data_type, ", as x1"));
    return check_type({{"rstdOut", g.rstd}}, ACL_FLOAT);
}

acl_status check_gamma(const add_rms_norm_parameters &g, row_shape &parted) {
    shape columns = g.gamma->dims;
    if (g.rstd == nullptr) {
        if (columns.size() != 2 || columns[0] != 1)
            return invalid(
                explain("gamma has the shape %s, without rstdOut it must be [1, D]", shape_text(columns).text));
        columns = columns.last(1);
    }
    return row_shape::part({"x1", g.x1}, "gamma", columns, parted);
}

acl_status check(const add_rms_norm_parameters &g, row_shape &parted) {
    const named_tensor x2 = {"x2", g.x2}, y = {"yOut", g.y}, x = {"xOut", g.x}, rstd = {"rstdOut", g.rstd};
    JITNORM_TRY(check_types(g));
    JITNORM_TRY(check_views({{"x1", g.x1}, x2, {"gamma", g.gamma}}, {y, rstd, x}));
    JITNORM_TRY(check_gamma(g, parted));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(check_shape({x2, y, x}, g.x1->dims, "x1"));
    return check_shape({rstd}, shape_of_statistics(*g.x1, parted), "x1 with ones for the axes of gamma");
}

} // namespace

acl_status lower(const add_rms_norm_parameters &g, request &result) {
    row_shape parted;
    JITNORM_TRY(check(g, parted));
    result.op = g.op;
    result.has_work = count(g.x1->dims) != 0;
    layer_norm::problem &p = result.problem = begin_rms_problem(*g.x1, *g.gamma, parted);
    p.prop_kind = g.rstd != nullptr ? jitnorm_forward_training : jitnorm_forward_inference;
    p.epsilon = float(g.epsilon);
    p[DST] = parted.data(*g.y);
    p[VARIANCE] = make_dense(parted.rows(), jitnorm_f32);
    p[RESIDUAL] = parted.data(*g.x2);
    if (g.x != nullptr) p[SUM] = parted.data(*g.x);
    result.sides[SCALE] = parted.columns_of(*g.gamma);
    using namespace layer_norm;
    result.parameters = with_slots(g.tensors(), {SRC, RESIDUAL, SCALE, DST, VARIANCE, SUM});
    result.inputs = 3;
    const named_tensor rstd = {"rstdOut", g.rstd};
    return g.rstd == nullptr ? acl_status{} : place_statistics(rstd, rstd, parted, result);
}

} // namespace jitnorm::impl::aclnn
