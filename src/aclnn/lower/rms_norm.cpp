// SPDX-License-Identifier: Apache-2.0
// RMS normalization, forward and backward. CANN refuses with other status numbers than in layer normalization: 161002
// for wrong types, 561002 for all else.
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

// x must be FLOAT, FLOAT16 or BF16, the tensors `as_x` of the same type, the tensors `floats` FLOAT, and gamma of x's
// type or FLOAT.
acl_status check_types(const named_tensor &x, const named_tensor &gamma, tensor_list as_x, tensor_list floats) {
    JITNORM_TRY(check_float(x));
    JITNORM_TRY(check_affine_type(gamma, *x));
    JITNORM_TRY(check_type(as_x, x->data_type, ", as x"));
    return check_type(floats, ACL_FLOAT);
}

acl_status check_shapes(const rms_norm_parameters &g, row_shape &split) {
    JITNORM_TRY(check_views({g.x, g.gamma}, {g.y, g.rstd}));
    JITNORM_TRY(split_by_gamma(g.x, *g.gamma, split));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(check_shape({g.y}, g.x->dims, "x"));
    return check_shape({g.rstd}, shape_of_statistics(*g.x, split), "x with ones for the axes of gamma");
}

acl_status check_shapes(const rms_norm_grad_parameters &g, row_shape &split) {
    JITNORM_TRY(check_views({g.dy, g.x, g.rstd, g.gamma}, {g.dx, g.dgamma}));
    JITNORM_TRY(split_by_gamma(g.x, *g.gamma, split));
    JITNORM_TRY(check_shape({g.dy, g.dx}, g.x->dims, "x"));
    return check_shape({g.dgamma}, g.gamma->dims, "gamma");
}

// ---- aclnnAddRmsNorm: RMS normalization of a sum

// Without rstdOut CANN takes only FLOAT16 and BF16, and gamma must be a matrix of one row (check_gamma).
acl_status check_types(const add_rms_norm_parameters &g) {
    JITNORM_TRY(check_float(g.x1));
    if (!g.rstd && g.x1->data_type == ACL_FLOAT)
        return invalid("x1 is FLOAT; without rstdOut it must be FLOAT16 or BF16");
    JITNORM_TRY(check_type({g.x2, g.gamma, g.y, g.x}, g.x1->data_type, ", as x1"));
    return check_type({g.rstd}, ACL_FLOAT);
}

acl_status check_gamma(const add_rms_norm_parameters &g, row_shape &split) {
    shape columns = g.gamma->dims;
    if (!g.rstd) {
        if (columns.size() != 2 || columns[0] != 1)
            return invalid(
                explain("gamma has the shape %s; without rstdOut it must be [1, D]", shape_text(columns).text));
        columns = columns.last(1);
    }
    return row_shape::split(g.x1, "gamma", columns, split);
}

acl_status check(const add_rms_norm_parameters &g, row_shape &split) {
    JITNORM_TRY(check_types(g));
    JITNORM_TRY(check_views({g.x1, g.x2, g.gamma}, {g.y, g.rstd, g.x}));
    JITNORM_TRY(check_gamma(g, split));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(check_shape({g.x2, g.y, g.x}, g.x1->dims, "x1"));
    return check_shape({g.rstd}, shape_of_statistics(*g.x1, split), "x1 with ones for the axes of gamma");
}

} // namespace

acl_status lower(const rms_norm_parameters &g, request &result) {
    row_shape split;
    JITNORM_TRY(check_types(g.x, g.gamma, {g.y}, {g.rstd}));
    JITNORM_TRY(as_tiling(check_shapes(g, split)));
    result.problem.flags = unsigned(jitnorm_rms_norm);
    if (g.op == operation::gemma_rms_norm) result.problem.flags |= unsigned(jitnorm_scale_plus_one);
    return make_request(g, split, 2, {SRC, SCALE, DST, VARIANCE}, result);
}

acl_status lower(const rms_norm_grad_parameters &g, request &result) {
    row_shape split;
    JITNORM_TRY(check_types(g.x, g.gamma, {g.dy, g.dx}, {g.rstd, g.dgamma}));
    JITNORM_TRY(as_tiling(check_shapes(g, split)));
    result.problem.flags = unsigned(jitnorm_rms_norm);
    return as_tiling(make_request(g, split, 4, {DIFF_DST, SRC, VARIANCE, SCALE, DIFF_SRC, DIFF_SCALE}, result));
}

acl_status lower(const add_rms_norm_parameters &g, request &result) {
    row_shape split;
    JITNORM_TRY(check(g, split));
    result.has_work = product_of(g.x1->dims) != 0;
    result.problem.flags = unsigned(jitnorm_rms_norm);
    return make_request(g, split, 3, {SRC, RESIDUAL, SCALE, DST, VARIANCE, SUM}, result);
}

} // namespace jitnorm::impl::aclnn
