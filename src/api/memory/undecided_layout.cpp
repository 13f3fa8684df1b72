// SPDX-License-Identifier: Apache-2.0
#include "undecided_layout.hpp"

#include <algorithm>

#include "../../core/format_tag.hpp"

namespace jitnorm::impl::api {

namespace {

verdict too_large(const char *name) { return invalid(explain("%s is too large to be addressed", name)); }

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

} // namespace

verdict follow_layout(memory_desc &md, const memory_desc &model, const char *name) {
    if (md.format_kind != jitnorm_format_kind_any) return {};
    const memory_desc asked = md;
    const bool plain = has_runtime_dims(md) || has_runtime_dims(model) || is_plain(md, model);
    const auto status = plain ? make_with_strides(md, asked.ndims, asked.dims, asked.data_type, nullptr)
                              : make_with_rule(md, asked.dims, asked.data_type, rule_of(asked, model));
    return status == jitnorm_success ? verdict{} : too_large(name);
}

namespace {

constexpr const char *STATISTICS = "statistics (mean and variance)";

// Statistics without a descriptor become f32 in an undecided layout first.
verdict decide_statistics(layer_norm::problem &p) {
    if (p.statistics.ndims == 0) {
        const auto status =
            make_with_tag(p.statistics, p.src.ndims - 1, p.src.dims, jitnorm_f32, jitnorm_format_tag_any);
        if (status != jitnorm_success) return too_large(STATISTICS);
    }
    return follow_layout(p.statistics, p.src, STATISTICS);
}

verdict decide_post_ops(layer_norm::problem &p) {
    for (post_op &entry : p.attr.post_ops.entries) {
        auto *binary = std::get_if<binary_post_op>(&entry);
        if (binary == nullptr) continue;
        if (verdict v = follow_layout(binary->src1, p.dst, "src1 of a binary post-op"); v.failed()) return v;
    }
    return {};
}

} // namespace

verdict decide_layouts(layer_norm::problem &p) {
    if (p.src.format_kind == jitnorm_format_kind_any) return invalid("src has an undecided layout");
    const struct {
        memory_desc &md;
        const char *name;
    } others[] = {{p.dst, "dst"},
                  {p.diff_dst, "diff_dst"},
                  {p.diff_src, "diff_src"},
                  {p.attr.residual.added, "the residual"},
                  {p.attr.residual.sum, "the sum with the residual"},
                  {p.attr.unquantized, "the unquantized output"}};
    for (const auto &[md, name] : others)
        if (verdict v = follow_layout(md, p.src, name); v.failed()) return v;
    if (verdict v = decide_statistics(p); v.failed()) return v;
    return p.is_forward() ? decide_post_ops(p) : verdict{};
}

} // namespace jitnorm::impl::api
