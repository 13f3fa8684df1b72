// SPDX-License-Identifier: Apache-2.0
#include "attr.hpp"

namespace jitnorm::impl::api {

namespace {

verdict lower_modes(const jitnorm_primitive_attr &given) {
    for (const char *reason : given.unfulfilled)
        if (reason != nullptr) return unsupported(reason);
    if (given.fpmath_applies_to_int && given.fpmath_mode != jitnorm_fpmath_mode_strict)
        return unsupported("attr has a floating-point mode that applies to integers");
    return given.accumulation_mode <= jitnorm_accumulation_mode_any
               ? verdict{}
               : unsupported(explain("attr has the accumulation mode %d, strict, relaxed and any are supported",
                                     int(given.accumulation_mode)));
}

} // namespace

verdict lower(const jitnorm_primitive_attr &given, attributes &result) {
    if (const verdict v = lower_modes(given); v.failed()) return v;
    result.scratchpad_mode = given.scratchpad_mode;
    result.src_scale = given.src_scale;
    result.dst_scale = given.dst_scale;
    result.residual = given.residual;
    result.unquantized = given.unquantized;
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

void take_over_layouts(const attributes &decided, jitnorm_primitive_attr &attr) {
    for (size_t i = 0; i < decided.post_ops.entries.size(); ++i)
        if (const auto *binary = std::get_if<binary_post_op>(&decided.post_ops.entries[i]))
            attr.post_ops.entries[i] = *binary;
    if (decided.residual.added.ndims != 0) attr.residual.added = decided.residual.added;
    if (decided.residual.sum.ndims != 0) attr.residual.sum = decided.residual.sum;
    if (decided.unquantized.ndims != 0) attr.unquantized = decided.unquantized;
}

} // namespace jitnorm::impl::api
