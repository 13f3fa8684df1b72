// SPDX-License-Identifier: Apache-2.0
// aclnnAddLayerNorm: layer normalization of a sum.
#include "../../base/status.hpp"
#include "../objects/data_type.hpp"
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

// Narrow is FLOAT16 or BF16. Statistics are always FLOAT. The other tensors are all of one type; or gamma and beta are
// FLOAT and the rest is of one narrow type; or one of x1 and x2 is narrow and the rest is FLOAT.
acl_status check_types(const add_layer_norm_parameters &g) {
    const int one = g.x1->data_type, other = g.x2->data_type;
    if (!is_float(one) || !is_float(other) || (one != other && one != ACL_FLOAT && other != ACL_FLOAT))
        return invalid(explain("x1 is %s, x2 is %s; both must be FLOAT, FLOAT16 or BF16, or one of them FLOAT",
                               type_name(one), type_name(other)));
    const int data = one == other ? one : ACL_FLOAT;
    const bool float_affine = is_narrow(data) && g.gamma->data_type == ACL_FLOAT;
    JITNORM_TRY(check_type({g.bias, g.y, g.x}, data, ", as the sum"));
    JITNORM_TRY(check_type({g.gamma, g.beta}, float_affine ? ACL_FLOAT : data, ", as the sum, or both FLOAT"));
    return check_type({g.mean, g.rstd}, ACL_FLOAT);
}

acl_status check_shapes(const add_layer_norm_parameters &g, row_shape &parted) {
    JITNORM_TRY(check_views({g.x1, g.x2, g.gamma, g.beta, g.bias}, {g.y, g.mean, g.rstd, g.x}));
    JITNORM_TRY(check_contiguous({g.y, g.mean, g.rstd, g.x}));
    JITNORM_TRY(check_has_elements(g.x1));
    JITNORM_TRY(part(g.x1, *g.gamma, parted));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(check_shape({g.beta}, g.gamma->dims, "gamma"));
    JITNORM_TRY(check_shape({g.x2, g.y, g.x}, g.x1->dims, "x1"));
    if (g.bias && !equal(g.bias->dims, g.gamma->dims) && !equal(g.bias->dims, g.x1->dims))
        return invalid(explain("biasOptional has the shape %s; it must have that of gamma, %s, or of x1, %s",
                               shape_text(g.bias->dims).text, shape_text(g.gamma->dims).text,
                               shape_text(g.x1->dims).text));
    return check_shape({g.mean, g.rstd}, shape_of_statistics(*g.x1, parted), "x1 with ones for the axes of gamma");
}

// Whether rows may have different values of the bias. Otherwise it has one value for each column.
bool differs_by_row(const tensor &bias, const row_shape &parted) {
    for (size_t d = 0; d < bias.dims.size() - parted.columns().size(); ++d)
        if (bias.dims[d] != 1 && bias.strides[d] != 0) return true;
    return false;
}

// The slots of the tensors that are added.
struct addition {
    slot x1, x2, bias;
};

std::vector<parameter> parameters_of(const add_layer_norm_parameters &g, const addition &a) {
    return with_slots(g.tensors(),
                      {a.x1, a.x2, SCALE, SHIFT, a.bias, DST, MEAN, VARIANCE, if_wanted(g.additional_output, SUM)});
}

// A problem that leaves x1 + x2 as FLOAT in the workspace for the problem that adds the bias. There is no problem that
// only adds, so this one also normalizes the sum into y, which the other problem overwrites.
request add_first(const add_layer_norm_parameters &g, const row_shape &parted) {
    request first;
    layer_norm::problem &p = begin(g, *g.x1, parted, first);
    p.epsilon = 0;
    p.flags = unsigned(jitnorm_rms_norm);
    p[DST] = parted.data(*g.y);
    p[RESIDUAL] = parted.data(*g.x2);
    p[SUM] = make_dense(parted.dims(), jitnorm_f32);
    constexpr slot UNUSED = NO_SLOT;
    first.parameters = with_slots(g.tensors(), {SRC, RESIDUAL, UNUSED, UNUSED, UNUSED, DST, UNUSED, UNUSED, UNUSED});
    return first;
}

// Computes (x1 + x2) + bias by two problems, each of which adds once.
void add_in_two_steps(const add_layer_norm_parameters &g, const row_shape &parted, request &result) {
    result.before = std::make_shared<request>(add_first(g, parted));
    result.problem[SRC] = result.before->problem[SUM];
    result.problem[RESIDUAL] = parted.data(*g.bias);
    result.bytes_from_before = bytes(result.problem[SRC]);
    result.parameters = parameters_of(g, {NO_SLOT, NO_SLOT, RESIDUAL});
}

} // namespace

acl_status lower(const add_layer_norm_parameters &given, request &result) {
    add_layer_norm_parameters g = given;
    if (!g.additional_output) g.x.t = nullptr;
    row_shape parted;
    JITNORM_TRY(check_types(g));
    JITNORM_TRY(as_tiling(check_shapes(g, parted)));
    layer_norm::problem &p = begin(g, *g.x1, parted, result);
    p[DST] = parted.data(*g.y);
    p[RESIDUAL] = parted.data(*g.x2);
    if (g.x) p[SUM] = parted.data(*g.x);
    take_affine(g.gamma, g.beta, parted, result);
    result.inputs = 5;
    if (g.bias && differs_by_row(*g.bias, parted)) {
        add_in_two_steps(given, parted, result);
    } else {
        result.parameters = parameters_of(given, {SRC, RESIDUAL, BIAS});
        if (g.bias) result.layouts[BIAS] = parted.columns_of(*g.bias);
    }
    return place_statistics(g.mean, g.rstd, parted, result);
}

} // namespace jitnorm::impl::aclnn
