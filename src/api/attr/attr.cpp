// SPDX-License-Identifier: Apache-2.0
#include "attr.hpp"

namespace jitnorm::impl::api {

using enum layer_norm::slot;

namespace {

status lower_modes(const jitnorm_primitive_attr &given) {
    if (!given.unsupported_requests.empty()) return unsupported(given.unsupported_requests.front().reason);
    if (given.fpmath_applies_to_int && given.fpmath_mode != jitnorm_fpmath_mode_strict)
        return unsupported("attr has a floating-point mode that applies to integers");
    return given.accumulation_mode <= jitnorm_accumulation_mode_any
               ? status{}
               : unsupported(explain("attr has the accumulation mode %d, strict, relaxed and any are supported",
                                     int(given.accumulation_mode)));
}

layer_norm::slot slot_of_sum(const layer_norm::problem &p) { return p.is_forward() ? SUM : DIFF_SUM; }

} // namespace

status lower(const jitnorm_primitive_attr &given, layer_norm::problem &p) {
    JITNORM_TRY(lower_modes(given));
    p.epsilon = given.epsilon.value_or(p.epsilon);
    attributes &result = p.attr;
    result.scratchpad_mode = given.scratchpad_mode;
    result.src_scale = given.src_scale;
    result.dst_scale = given.dst_scale;
    result.bias_type = given.residual.bias_type;
    result.normalizes_rounded_sum = given.residual.normalizes_rounded;
    result.multiplies_silu = given.residual.multiplies_silu;
    p[RESIDUAL] = given.residual.added.get();
    p[GATE] = given.gate.get();
    p[slot_of_sum(p)] = given.residual.sum.get();
    p[PRE_QUANTIZATION] = given.pre_quantization.get();
    p[SCALE] = given.scale.get();
    p[SHIFT] = given.shift.get();
    for (const any_post_op &entry : given.post_ops.entries) {
        if (std::holds_alternative<prelu_post_op>(entry)) return unsupported("attr has a prelu post-op");
        std::visit(
            [&]<typename Entry>(const Entry &taken) {
                if constexpr (!std::is_same_v<Entry, prelu_post_op>) result.post_ops.entries.emplace_back(taken);
            },
            entry);
    }
    return {};
}

void take_over_layouts(const layer_norm::problem &decided, jitnorm_primitive_attr &attr) {
    const std::vector<post_op> &entries = decided.attr.post_ops.entries;
    for (size_t i = 0; i < entries.size(); ++i)
        if (const auto *binary = std::get_if<binary_post_op>(&entries[i])) attr.post_ops.entries[i] = *binary;
    const auto take_over = [&](layer_norm::slot s, rare_desc &md) {
        if (decided[s].ndims != 0 && !(md.get() == decided[s])) md.set(decided[s]);
    };
    take_over(RESIDUAL, attr.residual.added);
    take_over(slot_of_sum(decided), attr.residual.sum);
    take_over(PRE_QUANTIZATION, attr.pre_quantization);
    take_over(SCALE, attr.scale);
    take_over(SHIFT, attr.shift);
    take_over(GATE, attr.gate);
}

} // namespace jitnorm::impl::api
