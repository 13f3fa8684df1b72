// SPDX-License-Identifier: Apache-2.0
// aclnnAdaLayerNorm and aclnnAdaLayerNormV2: layer normalization whose result is modulated by a scale and a shift of
// each batch. Without weight and bias the modulation is the normalization's own scale and shift; otherwise it is done
// by post-ops.
#include "../../base/status.hpp"
#include "../objects/data_type.hpp"
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

acl_status check_types(const ada_layer_norm_parameters &g) {
    const int type = g.x->data_type;
    JITNORM_TRY(check_float(g.x));
    JITNORM_TRY(check_type({g.scale, g.shift, g.out, g.mean, g.rstd}, type, ", as x"));
    if (g.op == operation::ada_layer_norm) return check_type({g.weight, g.bias}, type, ", as x");
    for (const named_tensor &one : {g.weight, g.bias}) JITNORM_TRY(check_affine_type(one, *g.x));
    return g.weight ? check_type({g.bias}, g.weight->data_type, ", as weightOptional") : acl_status{};
}

// The dimensions of x with 1 in place of the last but one.
std::vector<dim_t> modulation_dims(const tensor &x) {
    std::vector<dim_t> dims(x.dims.begin(), x.dims.end());
    dims[dims.size() - 2] = 1;
    return dims;
}

// The shape may have the 1 or not.
acl_status check_modulation(const named_tensor &one, const tensor &x) {
    std::vector<dim_t> with = modulation_dims(x), without = with;
    without.erase(without.end() - 2);
    if (equal(one->dims, with) || equal(one->dims, without)) return {};
    return invalid(explain("%s has the shape %s; it must be %s or %s", one.name, shape_text(one->dims).text,
                           shape_text(without).text, shape_text(with).text));
}

acl_status check(const ada_layer_norm_parameters &g, row_shape &parted) {
    JITNORM_TRY(check_views({g.x, g.scale, g.shift, g.weight, g.bias}, {g.out, g.mean, g.rstd}));
    if (g.x->dims.size() < 2) return invalid("x has 1 dimension; 2 to 8 are supported");
    JITNORM_TRY(check_has_elements(g.x));
    JITNORM_TRY(check_types(g));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(row_shape::part(g.x, "the last dimension", shape(g.x->dims).last(1), parted));
    JITNORM_TRY(check_modulation(g.scale, *g.x));
    JITNORM_TRY(check_modulation(g.shift, *g.x));
    JITNORM_TRY(check_shape({g.weight, g.bias}, parted.columns(), "the last dimension of x"));
    JITNORM_TRY(check_shape({g.out}, g.x->dims, "x"));
    return check_shape({g.mean, g.rstd}, shape_of_statistics(*g.x, parted), "x with 1 for its last dimension");
}

// Scale or shift with a dimension of 1 for the rows of a batch.
memory_desc modulation(const tensor &t, const tensor &x) {
    const std::vector<dim_t> dims = modulation_dims(x);
    return describe(t, dims, *strides_as(t, dims)); // dimensions of 1 can always be put in
}

} // namespace

acl_status lower(const ada_layer_norm_parameters &g, request &result) {
    row_shape parted;
    JITNORM_TRY(check(g, parted));
    layer_norm::problem &p = begin(g, *g.x, parted, result);
    p[DST] = parted.data(*g.out);
    JITNORM_TRY(place_statistics(g.mean, g.rstd, parted, result));
    const memory_desc scale = modulation(*g.scale, *g.x), shift = modulation(*g.shift, *g.x);
    if (!g.weight && !g.bias) {
        p.flags = unsigned(jitnorm_scale_plus_one);
        result.layouts[SCALE] = scale;
        result.layouts[SHIFT] = shift;
        result.parameters = with_slots(g.tensors(), {SRC, SCALE, SHIFT, NO_SLOT, NO_SLOT, DST, MEAN, VARIANCE});
    } else {
        p.attr.post_ops.entries = {binary_post_op{jitnorm_binary_mul_plus_one, scale},
                                   binary_post_op{jitnorm_binary_add, shift}};
        take_affine(g.weight, g.bias, parted, result);
        result.parameters =
            with_slots(g.tensors(), {SRC, post_op_slot(0), post_op_slot(1), SCALE, SHIFT, DST, MEAN, VARIANCE});
    }
    result.inputs = 5;
    return {};
}

} // namespace jitnorm::impl::aclnn
