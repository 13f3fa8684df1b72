// SPDX-License-Identifier: Apache-2.0
// undecided_layout: decides the layout of tensors that were described with jitnorm_format_tag_any.
#include <algorithm>

#include "../../norm/row_groups.hpp"
#include "../../tensor/names.hpp"
#include "memory.hpp"

namespace jitnorm::impl::api {

using layer_norm::STATISTICS;
using enum layer_norm::slot;

namespace {

status too_large(const char *name) { return invalid(explain("%s is too large to be addressed", name)); }

bool is_plain(const memory_desc &md, const memory_desc &model) {
    for (int d = 0; d < model.ndims; ++d)
        if (model.strides[d] == 0 && model.dims[d] > 1) return true;
    return std::any_of(model.inner_idxs, model.inner_idxs + model.inner_nblks, [&](dim_t d) { return d >= md.ndims; });
}

// The rule has the dimensions of md in the order of model's strides, from the largest to the smallest, and model's
// inner blocks. Dimensions with equal strides stay in their order.
layout_rule rule_of(const memory_desc &md, const memory_desc &model) {
    layout_rule rule;
    rule.ndims = md.ndims;
    order_by_strides(model.strides, md.ndims, rule.order);
    rule.inner_nblks = model.inner_nblks;
    std::copy(model.inner_blks, model.inner_blks + model.inner_nblks, rule.inner_blks);
    std::copy(model.inner_idxs, model.inner_idxs + model.inner_nblks, rule.inner_idxs);
    return rule;
}

// If the layout of `md` is undecided.
status make_row_major(memory_desc &md, const char *name) {
    if (md.format_kind != jitnorm_format_kind_any) return {};
    const memory_desc asked = md;
    const status made = make_with_strides(md, asked.ndims, asked.dims, asked.data_type, nullptr);
    return made.failed() ? too_large(name) : made;
}

// If the layout of `md` is undecided, gives it the order of dimensions and the inner blocks of `model`, without gaps.
// It becomes row major if model has blocks of a dimension that md does not have, if model is broadcast, or if one of
// the two has run-time sizes. validate() checks whether the dimensions of the two fit.
status follow_layout(memory_desc &md, const memory_desc &model, const char *name) {
    if (md.format_kind != jitnorm_format_kind_any) return {};
    if (has_runtime_dims(md) || has_runtime_dims(model) || is_plain(md, model)) return make_row_major(md, name);
    const memory_desc asked = md;
    const status made = make_with_rule(md, asked.dims, asked.data_type, rule_of(asked, model));
    return made.failed() ? too_large(name) : made;
}

// Statistics without a descriptor become f32 in an undecided layout first.
status decide_statistics(layer_norm::problem &p) {
    const memory_desc &src = p[SRC];
    if (p[VARIANCE].ndims == 0 &&
        make_with_tag(p[VARIANCE], src.ndims - 1, src.dims, jitnorm_f32, jitnorm_format_tag_any).failed())
        return too_large(STATISTICS);
    return follow_layout(p[VARIANCE], p[SRC], STATISTICS);
}

status decide_post_ops(layer_norm::problem &p) {
    for (post_op &entry : p.attr.post_ops.entries) {
        auto *binary = std::get_if<binary_post_op>(&entry);
        if (binary == nullptr) continue;
        JITNORM_TRY(follow_layout(binary->src1, p[DST], "src1 of a binary post-op"));
    }
    return {};
}

} // namespace

status decide_layouts(layer_norm::problem &p) {
    if (p[SRC].format_kind == jitnorm_format_kind_any)
        return invalid("src has an undecided layout (format_tag_any); a tag or strides are expected");
    for (const layer_norm::tensor_kind &t : layer_norm::TENSORS)
        if (t.dims == layer_norm::extent::rows) JITNORM_TRY(follow_layout(p[t.place], p[SRC], t.name));
    for (const layer_norm::slot s : layer_norm::GROUPED) JITNORM_TRY(make_row_major(p[s], layer_norm::tensor_name(s)));
    JITNORM_TRY(decide_statistics(p));
    return p.is_forward() ? decide_post_ops(p) : status{};
}

} // namespace jitnorm::impl::api
