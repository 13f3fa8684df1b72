// SPDX-License-Identifier: Apache-2.0
#include "gate_gradients.hpp"

#include <algorithm>

namespace jitnorm::impl::layer_norm {

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
    second[SRC] = p[RESIDUAL];
    second[DIFF_DST] = p[DIFF_SRC];
    second[DIFF_SRC] = p[DIFF_GATED];
    second[SCALE] = p[GATE];
    second.scale_shift_type = second.diff_scale_shift_type = p[GATE].data_type;
    if (p[GATE].data_type == jitnorm_f64) { // then so is the product, which no tensor holds
        second[DST] = make_dense({p[SRC].dims, size_t(p[SRC].ndims)}, jitnorm_f64);
        second.omitted = bit_of(DST);
    }
    // All rows have one number.
    second[VARIANCE] = make_dense({p[SRC].dims, size_t(p.row_ndims())}, jitnorm_f32);
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
    second.set(SRC, all[RESIDUAL]);
    second.set(VARIANCE, &ONE);
    second.set(SCALE, all[GATE]);
    second.set(DIFF_DST, all[DIFF_SRC]);
    second.set(DIFF_SRC, all[DIFF_GATED]);
    second.set(DIFF_SCALE, all[DIFF_GATE]);
    second.set(SCRATCHPAD, all[SCRATCHPAD]);
    return second;
}

} // namespace jitnorm::impl::layer_norm
