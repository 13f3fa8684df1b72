// SPDX-License-Identifier: Apache-2.0
#include "../../base/status.hpp"
#include "../objects/data_type.hpp"
#include "checks.hpp"
#include "lower.hpp"

namespace jitnorm::impl::aclnn {

namespace {

using layer_norm::problem;

constexpr int32_t KEEP_FLOAT16 = 2; // the largest implMode

// Ascend's modes differ in how exactly its processors compute. This library computes the same result in every mode, and
// only checks that the mode is allowed.
acl_status check_mode(const forward_parameters &g) {
    if (g.impl_mode < 0 || g.impl_mode > KEEP_FLOAT16)
        return invalid(explain("implMode is %d, 0 to 2 are possible", int(g.impl_mode)));
    if (g.impl_mode != KEEP_FLOAT16) return {};
    return check_type({{"input", g.input}, {"weight", g.weight}, {"bias", g.bias}}, ACL_FLOAT16, " with implMode 2");
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
    const named_tensor weight = {"weight", g.weight}, bias = {"bias", g.bias};
    JITNORM_TRY(check_tensors({{"input", g.input}, weight, bias},
                              {{"out", g.out}, {"meanOut", g.mean_out}, {"rstdOut", g.rstd_out}}));
    JITNORM_TRY(row_shape::part({"input", g.input}, "normalizedShape", *g.normalized_shape, parted));
    JITNORM_TRY(check_shape({{"out", g.out}}, g.input->dims, "input"));
    JITNORM_TRY(check_shape({weight, bias}, parted.columns(), "normalizedShape"));
    for (const named_tensor &affine : {weight, bias}) JITNORM_TRY(check_affine_type(affine, *g.input));
    return g.weight == nullptr ? acl_status{} : check_type({bias}, g.weight->data_type, ", as weight");
}

problem make_problem(const forward_parameters &g, const row_shape &parted) {
    const tensor *affine = g.weight != nullptr ? g.weight : g.bias;
    problem p;
    p.flags =
        (g.weight != nullptr ? unsigned(jitnorm_use_scale) : 0) | (g.bias != nullptr ? unsigned(jitnorm_use_shift) : 0);
    p.epsilon = float(g.eps);
    p.normalized_axes = parted.normalized_axes();
    p.form = layer_norm::statistics_form::inverse_deviation;
    p[SRC] = parted.data(*g.input);
    p[DST] = parted.data(*g.out);
    if (affine != nullptr) p.scale_shift_type = core_type(affine->data_type);
    return p;
}

} // namespace

acl_status lower(const forward_parameters &g, request &result) {
    row_shape parted;
    JITNORM_TRY(check(g, parted));
    JITNORM_TRY(check_mode(g));
    JITNORM_TRY(check_length(g, parted));
    result.op = g.op;
    result.problem = make_problem(g, parted);
    JITNORM_TRY(place_wanted_statistics({"meanOut", g.mean_out}, {"rstdOut", g.rstd_out}, parted, result));
    if (g.weight != nullptr) result.sides[SCALE] = parted.columns_of(*g.weight);
    if (g.bias != nullptr) result.sides[SHIFT] = parted.columns_of(*g.bias);
    using namespace layer_norm;
    result.parameters = with_slots(g.tensors(), {SRC, SCALE, SHIFT, DST, MEAN, VARIANCE});
    result.inputs = 3;
    return {};
}

namespace {

using layer_norm::problem;

constexpr size_t OUTPUTS = 3;

// The outputs that the mask asks for; the others are null.
struct wanted {
    const tensor *grad_input, *grad_weight, *grad_bias;

    bool any() const { return grad_input != nullptr || grad_weight != nullptr || grad_bias != nullptr; }
};

acl_status select(const backward_parameters &g, wanted &w) {
    const bool_array &mask = *g.output_mask;
    if (mask.size() != OUTPUTS) return invalid(explain("outputMask has %zu values, it must have 3", mask.size()));
    w = {mask[0] ? g.grad_input : nullptr, mask[1] ? g.grad_weight : nullptr, mask[2] ? g.grad_bias : nullptr};
    if (mask[0] && w.grad_input == nullptr) return null_pointer("gradInputOut is null and outputMask asks for it");
    if (mask[1] && w.grad_weight == nullptr) return null_pointer("gradWeightOut is null and outputMask asks for it");
    if (mask[2] && w.grad_bias == nullptr) return null_pointer("gradBiasOut is null and outputMask asks for it");
    return {};
}

acl_status check(const backward_parameters &g, const wanted &w, row_shape &parted) {
    const named_tensor weight = {"weight", g.weight}, bias = {"bias", g.bias};
    JITNORM_TRY(check_tensors(
        {{"gradOut", g.grad_out}, {"input", g.input}, {"mean", g.mean}, {"rstd", g.rstd}, weight, bias},
        {{"gradInputOut", w.grad_input}, {"gradWeightOut", w.grad_weight}, {"gradBiasOut", w.grad_bias}}));
    JITNORM_TRY(row_shape::part({"input", g.input}, "normalizedShape", *g.normalized_shape, parted));
    JITNORM_TRY(check_type({{"gradOut", g.grad_out}}, g.input->data_type, ", as input"));
    JITNORM_TRY(check_shape({{"gradOut", g.grad_out}, {"gradInputOut", w.grad_input}}, g.input->dims, "input"));
    return check_shape({weight, bias}, parted.columns(), "normalizedShape");
}

// Sets the kind and the flags that make the core compute the wanted outputs. An output that these imply but that is not
// wanted is left out.
void choose_outputs(const wanted &w, bool has_weight, problem &p) {
    const bool wants_sums = w.grad_weight != nullptr || w.grad_bias != nullptr;
    p.prop_kind = wants_sums ? jitnorm_backward : jitnorm_backward_data;
    p.flags = (has_weight || w.grad_weight != nullptr ? unsigned(jitnorm_use_scale) : 0) |
              (w.grad_bias != nullptr ? unsigned(jitnorm_use_shift) : 0);
    p.scale_is_ones = !has_weight && p.uses_scale();
    if (w.grad_input == nullptr) p.omitted |= layer_norm::bit_of(DIFF_SRC);
    if (wants_sums && p.uses_scale() && w.grad_weight == nullptr) p.omitted |= layer_norm::bit_of(DIFF_SCALE);
}

// The type of both gradients, or of the one that is wanted. If the types differ or none is wanted, f32.
jitnorm_data_type_t type_of_gradients(const wanted &w) {
    const tensor *one = w.grad_weight != nullptr ? w.grad_weight : w.grad_bias;
    const tensor *other = w.grad_bias != nullptr ? w.grad_bias : w.grad_weight;
    return one == nullptr ? jitnorm_f32
                          : layer_norm::common_type(core_type(one->data_type), core_type(other->data_type));
}

problem make_problem(const backward_parameters &g, const wanted &w, const row_shape &parted) {
    problem p;
    choose_outputs(w, g.weight != nullptr, p);
    p.normalized_axes = parted.normalized_axes();
    p.form = layer_norm::statistics_form::inverse_deviation;
    p[SRC] = parted.data(*g.input);
    p[DIFF_DST] = parted.data(*g.grad_out);
    p[DIFF_SRC] = parted.data(w.grad_input != nullptr ? *w.grad_input : *g.input);
    if (g.weight != nullptr) p.scale_shift_type = core_type(g.weight->data_type);
    p.diff_scale_shift_type = type_of_gradients(w);
    return p;
}

// Describes a gradient, which has as many elements as a row, as a tensor of the normalized dimensions. One that is not
// wanted is null.
acl_status place_gradient(const named_tensor &given, const row_shape &parted, memory_desc &layout) {
    return given.t == nullptr ? acl_status{} : place(given, parted.columns(), "normalizedShape", layout);
}

} // namespace

acl_status lower(const backward_parameters &g, request &result) {
    wanted w;
    row_shape parted;
    JITNORM_TRY(select(g, w));
    JITNORM_TRY(check(g, w, parted));
    result.op = g.op;
    result.has_work = w.any();
    result.problem = make_problem(g, w, parted);
    const named_tensor weights = {"gradWeightOut", w.grad_weight}, biases = {"gradBiasOut", w.grad_bias};
    JITNORM_TRY(place_statistics({"mean", g.mean}, {"rstd", g.rstd}, parted, result));
    JITNORM_TRY(place_gradient(weights, parted, result.sides[DIFF_SCALE]));
    JITNORM_TRY(place_gradient(biases, parted, result.sides[DIFF_SHIFT]));
    if (g.weight != nullptr) result.sides[SCALE] = parted.columns_of(*g.weight);
    using namespace layer_norm;
    result.parameters =
        with_slots(g.tensors(), {DIFF_DST, SRC, MEAN, VARIANCE, SCALE, NO_SLOT, if_wanted(w.grad_input, DIFF_SRC),
                                 if_wanted(w.grad_weight, DIFF_SCALE), if_wanted(w.grad_bias, DIFF_SHIFT)});
    result.inputs = 6;
    return {};
}

} // namespace jitnorm::impl::aclnn
