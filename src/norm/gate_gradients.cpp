// SPDX-License-Identifier: Apache-2.0
#include "gate_gradients.hpp"

#include <algorithm>

namespace jitnorm::impl::layer_norm {

namespace {

// The tensors of the second problem, and what they are in the whole one.
constexpr struct {
    slot own, whole;
} PRODUCT[] = {{SRC, RESIDUAL}, {SCALE, GATE}, {DIFF_DST, DIFF_SRC}, {DIFF_SRC, DIFF_GATED}, {DIFF_SCALE, DIFF_GATE}};

} // namespace

problem without_gate(const problem &p) {
    problem first = p;
    first[RESIDUAL] = first[GATE] = {};
    return first;
}

problem gate_product(const problem &p) {
    problem second;
    second.prop_kind = p.prop_kind;
    second.flags = unsigned(jitnorm_use_scale) | unsigned(jitnorm_use_global_stats) | unsigned(jitnorm_rms_norm);
    second.normalized_axes = p.normalized_axes;
    second.form = statistics_form::inverse_deviation;
    for (const auto &[own, whole] : PRODUCT)
        if (has_descriptor(TENSORS[size_t(own)])) second[own] = p[whole];
    second.scale_shift_type = second.diff_scale_shift_type = p[GATE].data_type;
    if (p[GATE].data_type == jitnorm_f64) { // then so is the product, which no tensor holds
        second[DST] = make_dense(dims_of(p[SRC]), jitnorm_f64);
        second.omitted = bit_of(DST);
    }
    // All rows have one number.
    second[VARIANCE] = make_dense(p.row_dims(), jitnorm_f32);
    std::fill_n(second[VARIANCE].strides, p.row_ndims(), 0);
    return second;
}

arguments without_gate(const arguments &all) {
    arguments first = all;
    for (const slot s : {RESIDUAL, GATE, DIFF_GATED, DIFF_GATE}) first.set(s, nullptr);
    return first;
}

arguments gate_product(const arguments &all) {
    static constexpr float ONE = 1;
    arguments second;
    for (const auto &[own, whole] : PRODUCT) second.set(own, all[whole]);
    second.set(VARIANCE, &ONE);
    second.set(SCRATCHPAD, all[SCRATCHPAD]);
    return second;
}

} // namespace jitnorm::impl::layer_norm
