// SPDX-License-Identifier: Apache-2.0
#include "../../base/last_error.hpp"
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

// A statistic that is not wanted gets the layout of the other one.
acl_status place_wanted_statistics(const forward_parameters &g, const row_shape &parted, request &result) {
    const named_tensor mean = {"meanOut", g.mean_out}, rstd = {"rstdOut", g.rstd_out};
    if (mean.t != nullptr || rstd.t != nullptr)
        return place_statistics(mean.t != nullptr ? mean : rstd, rstd.t != nullptr ? rstd : mean, parted, result);
    result.problem[VARIANCE] = make_dense(parted.rows(), jitnorm_f32);
    return {};
}

problem make_problem(const forward_parameters &g, const row_shape &parted) {
    const bool wants_statistics = g.mean_out != nullptr || g.rstd_out != nullptr;
    const tensor *affine = g.weight != nullptr ? g.weight : g.bias;
    problem p;
    p.prop_kind = wants_statistics ? jitnorm_forward_training : jitnorm_forward_inference;
    p.flags =
        (g.weight != nullptr ? unsigned(jitnorm_use_scale) : 0) | (g.bias != nullptr ? unsigned(jitnorm_use_shift) : 0);
    p.epsilon = float(g.eps);
    p.normalized_axes = parted.normalized_axes();
    p.form = layer_norm::statistics_form::inverse_deviation;
    if (wants_statistics && g.mean_out == nullptr) p.omitted |= layer_norm::bit_of(MEAN);
    if (wants_statistics && g.rstd_out == nullptr) p.omitted |= layer_norm::bit_of(VARIANCE);
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
    JITNORM_TRY(place_wanted_statistics(g, parted, result));
    if (g.weight != nullptr) result.sides[SCALE] = parted.columns_of(*g.weight);
    if (g.bias != nullptr) result.sides[SHIFT] = parted.columns_of(*g.bias);
    using namespace layer_norm;
    result.parameters = with_slots(g.tensors(), {SRC, SCALE, SHIFT, DST, MEAN, VARIANCE});
    result.inputs = 3;
    return {};
}

} // namespace jitnorm::impl::aclnn
