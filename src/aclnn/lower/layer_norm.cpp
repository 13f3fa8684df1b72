// SPDX-License-Identifier: Apache-2.0
#include "../../base/status.hpp"
#include "../objects/data_type.hpp"
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

using layer_norm::problem;

constexpr int32_t KEEP_FLOAT16 = 2; // the largest implMode

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

acl_status check_length(const forward_parameters &g, const row_shape &parted) {
    return g.op != operation::fast_layer_norm || count(parted.columns()) <= LONGEST_FAST_ROW
               ? acl_status{}
               : acl_status{
                     JITNORM_ACLNN_ERR_INNER_NULLPTR,
                     explain("normalizedShape %s has more than 583705600 elements", shape_text(parted.columns()).text)};
}

acl_status check(const forward_parameters &g, row_shape &parted) {
    JITNORM_TRY(check_tensors({g.input, g.weight, g.bias}, {g.out, g.mean, g.rstd}));
    JITNORM_TRY(row_shape::part(g.input, "normalizedShape", *g.normalized_shape, parted));
    JITNORM_TRY(check_shape({g.out}, g.input->dims, "input"));
    JITNORM_TRY(check_shape({g.weight, g.bias}, parted.columns(), "normalizedShape"));
    for (const named_tensor &affine : {g.weight, g.bias}) JITNORM_TRY(check_affine_type(affine, *g.input));
    return g.weight ? check_type({g.bias}, g.weight->data_type, ", as weight") : acl_status{};
}

} // namespace

acl_status lower(const forward_parameters &g, request &result) {
    row_shape parted;
    JITNORM_TRY(check(g, parted));
    JITNORM_TRY(check_mode(g));
    JITNORM_TRY(check_length(g, parted));
    problem &p = begin(g, *g.input, parted, result);
    p[DST] = parted.data(*g.out);
    take_affine(g.weight, g.bias, parted, result);
    JITNORM_TRY(place_statistics(g.mean, g.rstd, parted, result));
    result.parameters = with_slots(g.tensors(), {SRC, SCALE, SHIFT, DST, MEAN, VARIANCE});
    result.inputs = 3;
    return {};
}

namespace {

constexpr size_t OUTPUTS = 3;

// Makes the outputs null that the mask does not ask for.
acl_status mask_outputs(backward_parameters &g) {
    const bool_array &mask = *g.output_mask;
    if (mask.size() != OUTPUTS) return invalid(explain("outputMask has %zu values; it must have 3", mask.size()));
    named_tensor *const outputs[OUTPUTS] = {&g.grad_input, &g.grad_weight, &g.grad_bias};
    for (size_t i = 0; i < OUTPUTS; ++i)
        if (mask[i])
            JITNORM_TRY(refuse_null({*outputs[i]}, " and outputMask asks for it"));
        else
            outputs[i]->t = nullptr;
    return {};
}

acl_status check(const backward_parameters &g, row_shape &parted) {
    JITNORM_TRY(check_tensors({g.grad_out, g.input, g.mean, g.rstd, g.weight, g.bias},
                              {g.grad_input, g.grad_weight, g.grad_bias}));
    JITNORM_TRY(row_shape::part(g.input, "normalizedShape", *g.normalized_shape, parted));
    JITNORM_TRY(check_type({g.grad_out}, g.input->data_type, ", as input"));
    JITNORM_TRY(check_shape({g.grad_out, g.grad_input}, g.input->dims, "input"));
    return check_shape({g.weight, g.bias}, parted.columns(), "normalizedShape");
}

// Describes a gradient, which has as many elements as a row, as a tensor of the normalized dimensions. One that is not
// wanted is null.
acl_status place_gradient(const named_tensor &given, const row_shape &parted, memory_desc &layout) {
    return given ? place(given, parted.columns(), "normalizedShape", layout) : acl_status{};
}

} // namespace

acl_status lower(const backward_parameters &given, request &result) {
    backward_parameters g = given;
    row_shape parted;
    JITNORM_TRY(mask_outputs(g));
    JITNORM_TRY(check(g, parted));
    problem &p = begin(g, *g.input, parted, result);
    result.has_work = g.grad_input || g.grad_weight || g.grad_bias;
    p[DIFF_DST] = parted.data(*g.grad_out);
    if (g.grad_input) p[DIFF_SRC] = parted.data(*g.grad_input);
    take_affine(g.weight, {}, parted, result);
    JITNORM_TRY(place_statistics(g.mean, g.rstd, parted, result));
    JITNORM_TRY(place_gradient(g.grad_weight, parted, result.layouts[DIFF_SCALE]));
    JITNORM_TRY(place_gradient(g.grad_bias, parted, result.layouts[DIFF_SHIFT]));
    result.parameters = with_slots(
        given.tensors(), {DIFF_DST, SRC, MEAN, VARIANCE, SCALE, NO_SLOT, if_wanted(bool(g.grad_input), DIFF_SRC),
                          if_wanted(bool(g.grad_weight), DIFF_SCALE), if_wanted(bool(g.grad_bias), DIFF_SHIFT)});
    result.inputs = 6;
    return {};
}

} // namespace jitnorm::impl::aclnn
