// SPDX-License-Identifier: Apache-2.0
#include "attr.hpp"

#include <algorithm>

namespace jitnorm::impl::api {

namespace {

status lower_modes(const jitnorm_primitive_attr &given) {
    if (!given.unsupported_requests.empty()) return unsupported(given.unsupported_requests.front().reason);
    if (given.fpmath_applies_to_int && given.fpmath_mode != jitnorm_fpmath_mode_strict)
        return unsupported("attr has a floating-point mode that applies to integers");
    return given.accumulation_mode <= jitnorm_accumulation_mode_any
               ? status{}
               : unsupported(explain("attr has the accumulation mode %d; supported: strict, relaxed and any",
                                     int(given.accumulation_mode)));
}

} // namespace

const memory_desc &tensor_descs::operator[](layer_norm::slot s) const {
    const auto found = std::ranges::find(entries_, s, &entry::first);
    return found != entries_.end() ? *found->second : NO_TENSOR;
}

void tensor_descs::set(std::initializer_list<std::pair<layer_norm::slot, const memory_desc *>> changes) {
    std::vector<entry> changed = entries_;
    for (const auto &[s, md] : changes) {
        std::erase_if(changed, [place = s](const entry &old) { return old.first == place; });
        if (md != nullptr && md->ndims != 0) changed.emplace_back(s, std::make_shared<const memory_desc>(*md));
    }
    entries_ = std::move(changed);
}

status lower(const jitnorm_primitive_attr &given, layer_norm::problem &p) {
    JITNORM_TRY(lower_modes(given));
    p.epsilon = given.epsilon.value_or(p.epsilon);
    attributes &result = p.attr;
    result.scratchpad_mode = given.scratchpad_mode;
    result.src_scale = given.src_scale;
    result.dst_scale = given.dst_scale;
    result.bias_type = given.residual.bias_type;
    result.normalizes_rounded_sum = given.residual.has(jitnorm_residual_normalize_rounded);
    result.multiplies_silu = given.residual.has(jitnorm_residual_mul_silu);
    for (const auto &[s, md] : given.tensors) p[s] = *md;
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
    const tensor_descs given = attr.tensors;
    for (const auto &[s, md] : given)
        if (decided[s].ndims != 0 && !(*md == decided[s])) attr.tensors.set({{s, &decided[s]}});
}

} // namespace jitnorm::impl::api
