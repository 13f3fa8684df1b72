// SPDX-License-Identifier: Apache-2.0
// aclnnRmsNormDynamicQuant and aclnnAddRmsNormDynamicQuant: RMS normalization to 8 bits, with a scale for each row that
// is found from the row's values.
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

// One quantization of the normalized values: the factors that they are multiplied by before, and the outputs.
struct quantization {
    named_tensor smooth, y, scale; // smooth may be null, which means ones
    bool is_first = true;          // of two; both may have been given the same tensors
};

acl_status check_types(const named_tensor &x, const char *why, tensor_list as_x, tensor_list scales) {
    if (!is_narrow(x->data_type))
        return invalid(explain("%s is %s; supported: FLOAT16 and BF16", x.name, type_name(x->data_type)));
    JITNORM_TRY(check_type(as_x, x->data_type, why));
    return check_type(scales, ACL_FLOAT);
}

acl_status check_rows(const named_tensor &x, const tensor &gamma, row_shape &split) {
    if (x->dims.size() < 2) return invalid(explain("%s has 1 dimension; 2 to 8 are supported", x.name));
    if (gamma.dims.size() != 1) return invalid(explain("gamma has %zu dimensions; it must have 1", gamma.dims.size()));
    return row_shape::split(x, "gamma", gamma.dims, split);
}

// The post-op that multiplies each row by the smooth factors. They are described as a tensor of one row.
post_op smoothing(const tensor &smooth, int ndims) {
    std::vector<dim_t> dims(size_t(ndims), 1), strides = dims;
    dims.back() = smooth.dims[0];
    strides.back() = smooth.strides[0];
    return binary_post_op{jitnorm_binary_mul, describe(smooth, dims, strides)};
}

// Adds to the request what the quantization decides in both operations.
acl_status quantize(const quantization &to, const row_shape &split, request &result) {
    layer_norm::problem &p = result.problem;
    std::vector<dim_t> one_for_each_row(split.rows().begin(), split.rows().end());
    one_for_each_row.push_back(1);
    p.flags = unsigned(jitnorm_rms_norm);
    JITNORM_TRY(reshape(to.y, split.dims(), "x", p[DST]));
    JITNORM_TRY(reshape(to.scale, one_for_each_row, "x with 1 for its last axis", p[DST_SCALE]));
    if (to.smooth) p.attr.post_ops.entries.push_back(smoothing(*to.smooth, p[DST].ndims));
    return {};
}

acl_status check(const rms_norm_dynamic_quant_parameters &g, row_shape &split) {
    JITNORM_TRY(check_types(g.x, ", as x", {g.gamma, g.smooth, g.beta}, {g.scale}));
    JITNORM_TRY(check_type({g.y}, ACL_INT8));
    if (g.dst_type != ACL_INT8) return invalid(explain("dstType is %lld; supported: 2 (INT8)", as_number(g.dst_type)));
    JITNORM_TRY(check_views({g.x, g.gamma, g.smooth, g.beta}, {g.y, g.scale}));
    JITNORM_TRY(check_has_elements(g.x));
    JITNORM_TRY(check_rows(g.x, *g.gamma, split));
    if (!(g.epsilon > 0)) return invalid(explain("epsilon is %g; it must be positive", g.epsilon));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(check_shape({g.smooth, g.beta}, g.gamma->dims, "gamma"));
    JITNORM_TRY(check_shape({g.y}, g.x->dims, "x"));
    return check_shape({g.scale}, split.rows(), "x without its last axis");
}

// y1 must be INT8 or an 8-bit float, and y2 the same.
acl_status check_types(const add_rms_norm_dynamic_quant_parameters &g) {
    JITNORM_TRY(check_types(g.x1, ", as x1", {g.x2, g.gamma, g.smooth1, g.smooth2, g.x}, {g.scale1, g.scale2}));
    if (size_of(core_type(g.y1->data_type)) != 1)
        return invalid(
            explain("y1Out is %s; supported: INT8, FLOAT8_E5M2 and FLOAT8_E4M3FN", type_name(g.y1->data_type)));
    return check_type({g.y2}, g.y1->data_type, ", as y1Out");
}

acl_status check_shapes(const add_rms_norm_dynamic_quant_parameters &g, row_shape &split) {
    if (g.smooth2 && !g.smooth1) return invalid("smoothScale2Optional needs smoothScale1Optional, which is null");
    JITNORM_TRY(check_views({g.x1, g.x2, g.gamma, g.smooth1, g.smooth2}, {g.y1, g.x, g.scale1, g.y2, g.scale2}));
    JITNORM_TRY(check_rows(g.x1, *g.gamma, split));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(check_shape({g.smooth1, g.smooth2}, g.gamma->dims, "gamma"));
    JITNORM_TRY(check_contiguous({g.scale1, g.scale2}));
    return check_shape({g.x2, g.x}, g.x1->dims, "x1");
}

// y must have the shape of x1, or one dimension for all rows and one for columns. Its scale must have the shape of x1
// without the last dimension, or one dimension for all rows.
acl_status check_rows_of(const quantization &to, const tensor &x, const row_shape &split) {
    const dim_t flat[] = {product_of(split.rows()), split.columns()[0]};
    const shape y = to.y->dims, scale = to.scale->dims;
    if (!std::ranges::equal(y, x.dims) && !std::ranges::equal(y, flat))
        return invalid(explain("%s has the shape %s; it must have that of x1, %s, or of its rows, %s", to.y.name,
                               shape_text(y).text, shape_text(x.dims).text, shape_text(flat).text));
    if (std::ranges::equal(scale, split.rows()) || std::ranges::equal(scale, shape(flat).first(1))) return {};
    return invalid(explain("%s has the shape %s; it must be %s or %s", to.scale.name, shape_text(scale).text,
                           shape_text(split.rows()).text, shape_text(shape(flat).first(1)).text));
}

acl_status add_outputs(const add_rms_norm_dynamic_quant_parameters &g, const quantization &to, const row_shape &split,
                       request &result) {
    JITNORM_TRY(check_rows_of(to, *g.x1, split));
    result.has_work = product_of(g.x1->dims) != 0;
    const auto first = [&](slot place) { return if_wanted(to.is_first, place); };
    const auto second = [&](slot place) { return if_wanted(!to.is_first, place); };
    constexpr slot SMOOTH = post_op_slot(0);
    JITNORM_TRY(make_request(g, split, 5,
                             {SRC, RESIDUAL, SCALE, first(SMOOTH), second(SMOOTH), first(DST), second(DST), first(SUM),
                              first(DST_SCALE), second(DST_SCALE)},
                             result));
    return quantize(to, split, result);
}

} // namespace

acl_status lower(const rms_norm_dynamic_quant_parameters &g, request &result) {
    row_shape split;
    JITNORM_TRY(as_tiling(check(g, split)));
    JITNORM_TRY(make_request(g, split, 4, {SRC, SCALE, post_op_slot(0), SHIFT, DST, DST_SCALE}, result));
    return as_tiling(quantize({g.smooth, g.y, g.scale}, split, result));
}

// Without smoothScale2 there is no second output: y2 and its scale are not checked. The second output is computed by
// another problem. That problem is solved first, because both read x2, and this one writes xOut, which may be in x2's
// place.
acl_status lower(const add_rms_norm_dynamic_quant_parameters &given, request &result) {
    add_rms_norm_dynamic_quant_parameters g = given;
    if (!g.smooth2) g.y2.t = g.scale2.t = nullptr;
    row_shape split;
    JITNORM_TRY(check_types(g));
    JITNORM_TRY(as_tiling(check_shapes(g, split)));
    JITNORM_TRY(as_tiling(add_outputs(given, {g.smooth1, g.y1, g.scale1}, split, result)));
    if (!g.smooth2) return {};
    result.before = std::make_shared<request>();
    return as_tiling(add_outputs(given, {g.smooth2, g.y2, g.scale2, false}, split, *result.before));
}

} // namespace jitnorm::impl::aclnn
