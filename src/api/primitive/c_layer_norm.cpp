// SPDX-License-Identifier: Apache-2.0
// C interface: primitive descriptors of layer normalization. Each function puts its arguments into a problem, and
// create_desc() the attributes. The rest, which begins with layouts that were left open, is done unless the object
// cache has it.
#include <algorithm>
#include <utility>

#include "../../base/boundary.hpp"
#include "../../dispatch/object_cache.hpp"
#include "../../dispatch/prepare.hpp"
#include "../../norm/row_groups.hpp"
#include "../../tensor/names.hpp"
#include "jitnorm/jitnorm.h"
#include "primitive_desc.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;
using layer_norm::cache_key;
using layer_norm::problem;
using layer_norm::STATISTICS;
using enum layer_norm::slot;

namespace {

// The problem from the arguments of all functions here. The attributes may have another epsilon.
problem begin(jitnorm_prop_kind_t kind, const memory_desc &src, const memory_desc *statistics,
              jitnorm_data_type_t scale_shift_type, float epsilon, unsigned flags) {
    problem p;
    p.prop_kind = kind;
    p.flags = flags;
    if (p.has(jitnorm_inverse_deviation)) p.form = layer_norm::statistics_form::inverse_deviation;
    p.epsilon = epsilon;
    p.scale_shift_type = scale_shift_type;
    p[SRC] = src;
    if (statistics != nullptr) p[VARIANCE] = *statistics;
    return p;
}

// Resets what the problem does not use, so that problems do not differ by it. Backward reads no shift: the descriptor
// is its gradient's.
void forget_unused(problem &p) {
    if (!p.uses_scale()) p[SCALE] = {};
    if (!p.reads(SHIFT) && !p.writes(DIFF_SHIFT)) p[SHIFT] = {};
    if (!p.uses_scale() && !p.uses_shift()) p.scale_shift_type = jitnorm_f32;
    if (!p.writes(DIFF_SCALE) && !p.writes(DIFF_SHIFT)) p.diff_scale_shift_type = jitnorm_f32;
    if (!p.reads(GATE)) p[GATE] = {};
    if (p.is_forward()) return;
    if (!p.has_gate_gradients()) p[RESIDUAL] = {};
    p.attr.bias_type = jitnorm_data_type_undef;
    p.attr.normalizes_rounded_sum = false;
}

// ---- layouts that were left open

status too_large(const char *name) { return invalid(explain("%s is too large to be addressed", name)); }

// Whether the layout of md can be that of the model. It cannot if the model has blocks of a dimension that md does not
// have, if it is broadcast, or if one of the two has run-time sizes.
bool can_follow(const memory_desc &md, const memory_desc &model) {
    if (has_runtime_dims(md) || has_runtime_dims(model)) return false;
    for (int d = 0; d < model.ndims; ++d)
        if (model.strides[d] == 0 && model.dims[d] > 1) return false;
    return std::all_of(model.inner_idxs, model.inner_idxs + model.inner_nblks, [&](dim_t d) { return d < md.ndims; });
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

// If the layout of `md` is undecided, gives it the order of dimensions and the inner blocks of `model`, without gaps,
// or row-major order if there is no model that it can follow. validate() checks whether the dimensions of the two fit.
status decide_layout(memory_desc &md, const memory_desc *model, const char *name) {
    if (md.format_kind != jitnorm_format_kind_any) return {};
    const memory_desc asked = md;
    const status made = model != nullptr && can_follow(asked, *model)
                            ? make_with_rule(md, asked.dims, asked.data_type, rule_of(asked, *model))
                            : make_with_strides(md, asked.ndims, asked.dims, asked.data_type, nullptr);
    return made.failed() ? too_large(name) : made;
}

// Decides the layouts of all tensors that were described with jitnorm_format_tag_any. src must have a decided layout.
status decide_layouts(problem &p) {
    const memory_desc &src = p[SRC];
    if (src.format_kind == jitnorm_format_kind_any)
        return invalid("src has an undecided layout (format_tag_any); a tag or strides are expected");
    for (const layer_norm::tensor_kind &t : layer_norm::TENSORS)
        if (t.dims == layer_norm::extent::rows) JITNORM_TRY(decide_layout(p[t.place], &src, t.name));
    for (const slot s : layer_norm::GROUPED) JITNORM_TRY(decide_layout(p[s], nullptr, layer_norm::tensor_name(s)));
    // Statistics without a descriptor become f32 in an undecided layout first.
    if (p[VARIANCE].ndims == 0 &&
        make_with_tag(p[VARIANCE], src.ndims - 1, src.dims, jitnorm_f32, jitnorm_format_tag_any).failed())
        return too_large(STATISTICS);
    JITNORM_TRY(decide_layout(p[VARIANCE], &src, STATISTICS));
    if (!p.is_forward()) return {};
    for (post_op &entry : p.attr.post_ops.entries)
        if (auto *binary = std::get_if<binary_post_op>(&entry))
            JITNORM_TRY(decide_layout(binary->src1, &p[DST], "src1 of a binary post-op"));
    return {};
}

// Sets p[DST_SCALE] to the descriptor of the scales that are to be found, which follows from their mask and groups. The
// layout of dst is already decided.
status describe_dynamic_scales(const jitnorm_primitive_attr &given, layer_norm::problem &p) {
    const scale_request &asked = given.dynamic_scales;
    if (asked.mask == 0) return {};
    if (!p.is_forward()) return unsupported("attr asks for dynamic scales, which only forward supports");
    if (p[DST].ndims == 0) return invalid("attr asks for dynamic scales of dst, which has no dimensions");
    if (p.has_runtime_sizes()) return unsupported("dynamic scales need sizes and strides known at creation");
    const int last = p[DST].ndims - 1, rows = (1 << last) - 1, everything = rows | 1 << last;
    if ((asked.mask & ~everything) != 0)
        return invalid(explain("attr has scales with the mask %d, dst has %d dimensions", asked.mask, p[DST].ndims));
    const bool grouped = asked.mask == everything && asked.ndims == 2 && asked.group_dims[0] == 1;
    if (!grouped && (asked.mask != rows || asked.ndims != 0))
        return unsupported(
            "dynamic scales are supported per row (a mask of all dimensions but the last) or per group of its "
            "columns (a mask of all dimensions, groups of 1 x columns)");
    const dim_t columns = p[DST].dims[last], width = grouped ? asked.group_dims[1] : std::max<dim_t>(columns, 1);
    if (columns % width != 0)
        return invalid(explain("attr has scales for groups of %lld columns, which do not divide rows of %lld columns",
                               as_number(width), as_number(columns)));
    jitnorm_dims_t dims;
    std::copy(p[DST].dims, p[DST].dims + last, dims);
    dims[last] = grouped ? columns / width : 1;
    p[DST_SCALE] = make_dense({dims, size_t(p[DST].ndims)}, jitnorm_f32);
    return {};
}

// ---- primitive descriptors

// Makes the description of a problem that is not in the object cache. The problem is moved to it.
status describe(problem &p, const jitnorm_primitive_attr *attr, std::shared_ptr<const described> &what) {
    if (p[SRC].ndims < 2 || p[SRC].ndims > 5)
        return invalid(
            explain("src has %d dimension%s; 2 to 5 are supported", p[SRC].ndims, p[SRC].ndims == 1 ? "" : "s"));
    JITNORM_TRY(decide_layouts(p));
    if (attr != nullptr) JITNORM_TRY(describe_dynamic_scales(*attr, p));
    forget_unused(p);
    // validate() names the types of statistics that other front ends have, too.
    if (const jitnorm_data_type_t given = p[VARIANCE].data_type; given != jitnorm_f32 && size_of(given) != 0)
        return unsupported(explain("%s are %s; supported: f32", STATISTICS, text_of(given)));
    layer_norm::solution chosen;
    JITNORM_TRY(layer_norm::prepare(p, chosen));
    what = std::make_shared<const described>(std::move(p), chosen);
    return {};
}

status create_desc(jitnorm_primitive_desc_t *result, jitnorm_engine_t engine, const jitnorm_primitive_attr *attr,
                   problem &p) {
    if (p.is_forward() && p[DST].ndims == 0) p.omitted |= bit_of(DST);
    if (p.writes(ROW_SUMS)) p.omitted |= bit_of(MEAN) | bit_of(VARIANCE);
    if (attr != nullptr) JITNORM_TRY(lower(*attr, p));
    cache_key key(layer_norm::maker::primitive_desc);
    key.add(p);
    if (attr != nullptr && attr->dynamic_scales.mask != 0) {
        const scale_request &scales = attr->dynamic_scales;
        key.add(uint64_t(uint32_t(scales.mask)) << 32 | uint64_t(scales.ndims));
        key.add(std::span(scales.group_dims));
    }
    auto what = layer_norm::find_cached<described>(key);
    if (what == nullptr) {
        JITNORM_TRY(describe(p, attr, what));
        what = layer_norm::cache(key, std::move(what));
    }
    *result = new jitnorm_primitive_desc(engine, attr, std::move(what));
    return {};
}

status check_hint(const memory_desc &src, const_jitnorm_primitive_desc_t hint) {
    if (hint == nullptr) return {};
    const problem &forward = hint->what->problem;
    if (!forward.is_forward())
        return invalid(
            explain("hint_fwd_pd is for %s; it must be for forward", jitnorm_prop_kind2str(forward.prop_kind)));
    if (same_dims(forward[SRC], src)) return {};
    return invalid(explain_dims("hint_fwd_pd's src", dims_of(forward[SRC]), "src_desc", dims_of(src)));
}

status create_forward(jitnorm_primitive_desc_t *result, jitnorm_engine_t engine, const jitnorm_primitive_attr *attr,
                      const memory_desc &dst, problem &p) {
    if (!p.is_forward())
        return invalid(explain("prop_kind is %s; forward_training or forward_inference is expected",
                               jitnorm_prop_kind2str(p.prop_kind)));
    p[DST] = dst;
    return create_desc(result, engine, attr, p);
}

} // namespace

jitnorm_status_t jitnorm_layer_normalization_forward_primitive_desc_create_v2(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t dst_desc, const_jitnorm_memory_desc_t stat_desc,
    jitnorm_data_type_t scale_shift_data_type, float epsilon, unsigned flags, const_jitnorm_primitive_attr_t attr) {
    JITNORM_REFUSE_NULL(primitive_desc, engine, src_desc, dst_desc);
    return guarded(__func__, [&] {
        problem p = begin(prop_kind, *src_desc, stat_desc, scale_shift_data_type, epsilon, flags);
        return create_forward(primitive_desc, engine, attr, *dst_desc, p);
    });
}

jitnorm_status_t jitnorm_layer_normalization_forward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t dst_desc, const_jitnorm_memory_desc_t stat_desc,
    float epsilon, unsigned flags, const_jitnorm_primitive_attr_t attr) {
    return jitnorm_layer_normalization_forward_primitive_desc_create_v2(
        primitive_desc, engine, prop_kind, src_desc, dst_desc, stat_desc, jitnorm_f32, epsilon, flags, attr);
}

jitnorm_status_t jitnorm_layer_normalization_backward_primitive_desc_create_v2(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t diff_src_desc, const_jitnorm_memory_desc_t diff_dst_desc,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t stat_desc,
    jitnorm_data_type_t diff_scale_shift_data_type, jitnorm_data_type_t scale_shift_data_type, float epsilon,
    unsigned flags, const_jitnorm_primitive_desc_t hint_fwd_pd, const_jitnorm_primitive_attr_t attr) {
    JITNORM_REFUSE_NULL(primitive_desc, engine, diff_src_desc, diff_dst_desc, src_desc);
    return guarded(__func__, [&] {
        if (prop_kind != jitnorm_backward && prop_kind != jitnorm_backward_data)
            return invalid(
                explain("prop_kind is %s; backward or backward_data is expected", jitnorm_prop_kind2str(prop_kind)));
        JITNORM_TRY(check_hint(*src_desc, hint_fwd_pd));
        problem p = begin(prop_kind, *src_desc, stat_desc, scale_shift_data_type, epsilon, flags);
        p[DIFF_SRC] = *diff_src_desc;
        p[DIFF_DST] = *diff_dst_desc;
        p.diff_scale_shift_type = diff_scale_shift_data_type;
        return create_desc(primitive_desc, engine, attr, p);
    });
}

jitnorm_status_t jitnorm_layer_normalization_backward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t diff_src_desc, const_jitnorm_memory_desc_t diff_dst_desc,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t stat_desc, float epsilon, unsigned flags,
    const_jitnorm_primitive_desc_t hint_fwd_pd, const_jitnorm_primitive_attr_t attr) {
    return jitnorm_layer_normalization_backward_primitive_desc_create_v2(
        primitive_desc, engine, prop_kind, diff_src_desc, diff_dst_desc, src_desc, stat_desc, jitnorm_f32, jitnorm_f32,
        epsilon, flags, hint_fwd_pd, attr);
}

jitnorm_status_t jitnorm_layer_normalization_partial_backward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, const_jitnorm_memory_desc_t diff_src_desc,
    const_jitnorm_memory_desc_t diff_dst_desc, const_jitnorm_memory_desc_t src_desc,
    const_jitnorm_memory_desc_t stat_desc, jitnorm_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
    jitnorm_dim_t first_row, jitnorm_dim_t all_rows, const_jitnorm_primitive_attr_t attr) {
    JITNORM_REFUSE_NULL(primitive_desc, engine, diff_src_desc, diff_dst_desc, src_desc);
    return guarded(__func__, [&] {
        JITNORM_TRY(check_row_range(*src_desc, first_row, all_rows));
        problem p = begin(jitnorm_backward, *src_desc, stat_desc, scale_shift_data_type, epsilon, flags);
        p.first_row = first_row;
        p.all_rows = all_rows;
        p[DIFF_SRC] = *diff_src_desc;
        p[DIFF_DST] = *diff_dst_desc;
        p.diff_scale_shift_type = jitnorm_f64;
        return create_desc(primitive_desc, engine, attr, p);
    });
}

jitnorm_status_t jitnorm_layer_normalization_partial_statistics_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, const_jitnorm_memory_desc_t src_desc,
    unsigned flags, jitnorm_dim_t first_column, jitnorm_dim_t all_columns, const_jitnorm_primitive_attr_t attr) {
    JITNORM_REFUSE_NULL(primitive_desc, engine, src_desc);
    return guarded(__func__, [&] {
        JITNORM_TRY(check_column_range(*src_desc, first_column, all_columns));
        problem p = begin(jitnorm_forward_training, *src_desc, nullptr, jitnorm_f32, 0,
                          flags & ~unsigned(jitnorm_inverse_deviation));
        p.all_columns = all_columns;
        return create_desc(primitive_desc, engine, attr, p);
    });
}

jitnorm_status_t jitnorm_layer_normalization_partial_forward_primitive_desc_create(
    jitnorm_primitive_desc_t *primitive_desc, jitnorm_engine_t engine, jitnorm_prop_kind_t prop_kind,
    const_jitnorm_memory_desc_t src_desc, const_jitnorm_memory_desc_t dst_desc, const_jitnorm_memory_desc_t stat_desc,
    jitnorm_data_type_t scale_shift_data_type, float epsilon, unsigned flags, jitnorm_dim_t first_column,
    jitnorm_dim_t all_columns, const_jitnorm_primitive_attr_t attr) {
    JITNORM_REFUSE_NULL(primitive_desc, engine, src_desc, dst_desc);
    return guarded(__func__, [&] {
        JITNORM_TRY(check_column_range(*src_desc, first_column, all_columns));
        if (dst_desc->ndims == 0) return invalid("dst has no dimensions");
        problem p = begin(prop_kind, *src_desc, stat_desc, scale_shift_data_type, epsilon, flags);
        p.all_columns = all_columns;
        return create_forward(primitive_desc, engine, attr, *dst_desc, p);
    });
}
