// SPDX-License-Identifier: Apache-2.0
// Layer normalization, forward and backward; modulated; of a sum.
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

constexpr int32_t KEEP_FLOAT16 = 2; // the largest implMode

// They must have one shape. Either may be null.
acl_status check_statistics(const named_tensor &mean, const named_tensor &rstd) {
    return mean ? check_shape({rstd}, mean->dims, mean.name) : acl_status{};
}

// Ascend's modes differ in how exactly its processors compute. This library computes the same result in every mode, and
// only checks that the mode is allowed.
acl_status check_mode(const forward_parameters &g) {
    if (g.impl_mode < 0 || g.impl_mode > KEEP_FLOAT16)
        return invalid(explain("implMode is %d; 0 to 2 are possible", int(g.impl_mode)));
    if (g.impl_mode != KEEP_FLOAT16) return {};
    return check_type({g.input, g.weight, g.bias}, ACL_FLOAT16, " with implMode 2");
}

// Ascend's operation has no room for longer rows, and refuses them.
constexpr dim_t LONGEST_FAST_ROW = 583705600;

acl_status check_length(const forward_parameters &g, const row_shape &split) {
    if (g.op != operation::fast_layer_norm || product_of(split.columns()) <= LONGEST_FAST_ROW) return {};
    return {JITNORM_ACLNN_ERR_INNER_NULLPTR,
            explain("normalizedShape %s has more than 583705600 elements", shape_text(split.columns()).text)};
}

acl_status check(const forward_parameters &g, row_shape &split) {
    JITNORM_TRY(check_views({g.input, g.weight, g.bias}, {g.out, g.mean, g.rstd}, true));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(row_shape::split(g.input, "normalizedShape", *g.normalized_shape, split));
    JITNORM_TRY(check_shape({g.out}, g.input->dims, "input"));
    JITNORM_TRY(check_shape({g.weight, g.bias}, split.columns(), "normalizedShape"));
    for (const named_tensor &affine : {g.weight, g.bias}) JITNORM_TRY(check_affine_type(affine, *g.input));
    return g.weight ? check_type({g.bias}, g.weight->data_type, ", as weight") : acl_status{};
}

// Makes the outputs null that the mask does not ask for.
acl_status mask_outputs(backward_parameters &g) {
    const bool_array &mask = *g.output_mask;
    named_tensor *const outputs[] = {&g.grad_input, &g.grad_weight, &g.grad_bias};
    if (mask.size() != std::size(outputs))
        return invalid(explain("outputMask has %zu values; it must have 3", mask.size()));
    for (size_t i = 0; i < std::size(outputs); ++i)
        if (mask[i])
            JITNORM_TRY(refuse_null({*outputs[i]}, " and outputMask asks for it"));
        else
            outputs[i]->t = nullptr;
    return {};
}

acl_status check(const backward_parameters &g, row_shape &split) {
    JITNORM_TRY(check_views({g.grad_out, g.input, g.mean, g.rstd, g.weight, g.bias},
                            {g.grad_input, g.grad_weight, g.grad_bias}, true));
    JITNORM_TRY(row_shape::split(g.input, "normalizedShape", *g.normalized_shape, split));
    JITNORM_TRY(check_type({g.grad_out}, g.input->data_type, ", as input"));
    JITNORM_TRY(check_shape({g.grad_out, g.grad_input}, g.input->dims, "input"));
    return check_shape({g.weight, g.bias}, split.columns(), "normalizedShape");
}

// ---- aclnnAdaLayerNorm and aclnnAdaLayerNormV2: layer normalization whose result is modulated by a scale and a shift
// of each batch. Without weight and bias the modulation is the normalization's own scale and shift; otherwise it is
// done by post-ops.

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
    if (std::ranges::equal(one->dims, with) || std::ranges::equal(one->dims, without)) return {};
    return invalid(explain("%s has the shape %s; it must be %s or %s", one.name, shape_text(one->dims).text,
                           shape_text(without).text, shape_text(with).text));
}

acl_status check(const ada_layer_norm_parameters &g, row_shape &split) {
    JITNORM_TRY(check_types(g));
    JITNORM_TRY(check_views({g.x, g.scale, g.shift, g.weight, g.bias}, {g.out, g.mean, g.rstd}));
    if (g.x->dims.size() < 2) return invalid("x has 1 dimension; 2 to 8 are supported");
    JITNORM_TRY(check_has_elements(g.x));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(row_shape::split(g.x, "the last dimension", shape(g.x->dims).last(1), split));
    JITNORM_TRY(check_modulation(g.scale, *g.x));
    JITNORM_TRY(check_modulation(g.shift, *g.x));
    JITNORM_TRY(check_shape({g.weight, g.bias}, split.columns(), "the last dimension of x"));
    JITNORM_TRY(check_shape({g.out}, g.x->dims, "x"));
    return check_shape({g.mean, g.rstd}, shape_of_statistics(*g.x, split), "x with 1 for its last dimension");
}

// Scale or shift with a dimension of 1 for the rows of a batch.
memory_desc modulation(const tensor &t, const tensor &x) {
    const std::vector<dim_t> dims = modulation_dims(x);
    return describe(t, dims, *strides_as(t, dims)); // dimensions of 1 can always be put in
}

// ---- aclnnAddLayerNorm: layer normalization of a sum

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

acl_status check_shapes(const add_layer_norm_parameters &g, row_shape &split) {
    JITNORM_TRY(check_views({g.x1, g.x2, g.gamma, g.beta, g.bias}, {g.y, g.mean, g.rstd, g.x}));
    JITNORM_TRY(check_contiguous({g.y, g.mean, g.rstd, g.x}));
    JITNORM_TRY(check_has_elements(g.x1));
    JITNORM_TRY(split_by_gamma(g.x1, *g.gamma, split));
    JITNORM_TRY(check_epsilon(g.epsilon));
    JITNORM_TRY(check_shape({g.beta}, g.gamma->dims, "gamma"));
    JITNORM_TRY(check_shape({g.x2, g.y, g.x}, g.x1->dims, "x1"));
    if (g.bias && !std::ranges::equal(g.bias->dims, g.gamma->dims) && !std::ranges::equal(g.bias->dims, g.x1->dims))
        return invalid(explain("biasOptional has the shape %s; it must have that of gamma, %s, or of x1, %s",
                               shape_text(g.bias->dims).text, shape_text(g.gamma->dims).text,
                               shape_text(g.x1->dims).text));
    return check_shape({g.mean, g.rstd}, shape_of_statistics(*g.x1, split), "x1 with ones for the axes of gamma");
}

// Whether rows may have different values of the bias. Otherwise it has one value for each column.
bool differs_by_row(const tensor &bias, const row_shape &split) {
    for (size_t d = 0; d < bias.dims.size() - split.columns().size(); ++d)
        if (bias.dims[d] != 1 && bias.strides[d] != 0) return true;
    return false;
}

// A problem that leaves x1 + x2 as FLOAT in the workspace for the problem that adds the bias. There is no problem that
// only adds, so this one also normalizes the sum into y, which the other problem overwrites.
request add_first(const add_layer_norm_parameters &g, const row_shape &split) {
    request first;
    constexpr slot UNUSED = NO_SLOT;
    (void)make_request(g, split, 5, {SRC, RESIDUAL, UNUSED, UNUSED, UNUSED, DST, UNUSED, UNUSED, UNUSED}, first);
    first.problem.epsilon = 0;
    first.problem.flags = unsigned(jitnorm_rms_norm);
    first.problem[SUM] = make_dense(split.dims(), jitnorm_f32);
    return first;
}

} // namespace

acl_status lower(const forward_parameters &g, request &result) {
    row_shape split;
    JITNORM_TRY(check(g, split));
    JITNORM_TRY(check_mode(g));
    JITNORM_TRY(check_length(g, split));
    JITNORM_TRY(check_statistics(g.mean, g.rstd));
    return make_request(g, split, 3, {SRC, SCALE, SHIFT, DST, MEAN, VARIANCE}, result);
}

acl_status lower(const backward_parameters &given, request &result) {
    backward_parameters g = given;
    row_shape split;
    JITNORM_TRY(mask_outputs(g));
    JITNORM_TRY(check(g, split));
    JITNORM_TRY(check_statistics(g.mean, g.rstd));
    result.has_work = g.grad_input || g.grad_weight || g.grad_bias;
    return make_request(given, split, 6,
                        {DIFF_DST, SRC, MEAN, VARIANCE, SCALE, NO_SLOT, if_wanted(bool(g.grad_input), DIFF_SRC),
                         if_wanted(bool(g.grad_weight), DIFF_SCALE), if_wanted(bool(g.grad_bias), DIFF_SHIFT)},
                        result);
}

acl_status lower(const ada_layer_norm_parameters &g, request &result) {
    row_shape split;
    JITNORM_TRY(check(g, split));
    layer_norm::problem &p = result.problem;
    const memory_desc scale = modulation(*g.scale, *g.x), shift = modulation(*g.shift, *g.x);
    if (g.weight || g.bias) {
        p.attr.post_ops.entries = {binary_post_op{jitnorm_binary_mul_plus_one, scale},
                                   binary_post_op{jitnorm_binary_add, shift}};
        return make_request(g, split, 5, {SRC, post_op_slot(0), post_op_slot(1), SCALE, SHIFT, DST, MEAN, VARIANCE},
                            result);
    }
    JITNORM_TRY(make_request(g, split, 5, {SRC, SCALE, SHIFT, NO_SLOT, NO_SLOT, DST, MEAN, VARIANCE}, result));
    p.flags = unsigned(jitnorm_scale_plus_one);
    result.layouts[SCALE] = scale;
    result.layouts[SHIFT] = shift;
    return {};
}

acl_status lower(const add_layer_norm_parameters &given, request &result) {
    add_layer_norm_parameters g = given;
    if (!g.additional_output) g.x.t = nullptr;
    row_shape split;
    JITNORM_TRY(check_types(g));
    JITNORM_TRY(as_tiling(check_shapes(g, split)));
    const slot sum = if_wanted(g.additional_output, SUM);
    if (!g.bias || !differs_by_row(*g.bias, split))
        return make_request(given, split, 5, {SRC, RESIDUAL, SCALE, SHIFT, BIAS, DST, MEAN, VARIANCE, sum}, result);
    // Computes (x1 + x2) + bias by two problems, each of which adds once.
    result.before = std::make_shared<request>(add_first(given, split));
    result.problem[SRC] = result.before->problem[SUM];
    result.bytes_from_before = bytes(result.problem[SRC]);
    return make_request(given, split, 5, {NO_SLOT, NO_SLOT, SCALE, SHIFT, RESIDUAL, DST, MEAN, VARIANCE, sum}, result);
}

} // namespace jitnorm::impl::aclnn
