// SPDX-License-Identifier: Apache-2.0
// validate: the rules that every front end's problems must pass, one check per rule. A problem without a meaning is
// invalid_arguments; a problem with a meaning that no implementation solves is unimplemented. Front ends call this
// after they have chosen layouts for format_kind any and a statistics descriptor where the caller gave none. Two
// run-time sizes count as equal here; an execution checks the problem again with its own sizes.
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "../tensor/memory_desc.hpp"
#include "../tensor/names.hpp"
#include "gate_gradients.hpp"
#include "row_groups.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

constexpr unsigned KNOWN_FLAGS = 0
#define FLAG(name, ...) | unsigned(jitnorm_##name)
#include "../../tables/normalization_flags.inc"
    ;

struct named_tensor {
    const char *name = nullptr; // null: there is none
    const memory_desc *md = nullptr;
    explicit operator bool() const { return md != nullptr; }
};

// The first tensor for which `holds` is true. Statistics must be described even if none is read or written.
template <typename Predicate>
named_tensor find_tensor(const problem &p, Predicate &&holds) {
    for (const tensor_kind &t : TENSORS) {
        const bool is_statistics = t.place == VARIANCE;
        if ((is_statistics || (t.dims == extent::rows && p.uses(t.place))) && holds(p[t.place]))
            return {is_statistics ? STATISTICS : t.name, &p[t.place]};
    }
    return {};
}

// ---------------------------------------------------------------- the operation

status check_operation(const problem &p) {
    if (!(p.is_forward() || p.prop_kind == jitnorm_backward || p.prop_kind == jitnorm_backward_data))
        return invalid(explain("unknown prop_kind %d", int(p.prop_kind)));
    if (const unsigned unknown = p.flags & ~KNOWN_FLAGS; unknown != 0)
        return invalid(
            explain("flags is 0x%x, of which jitnorm_normalization_flags_t does not have 0x%x", p.flags, unknown));
#define FLAG(...)
#define AFFINE_FLAG(name, number, letter, needed)                                                                      \
    if (p.has(jitnorm_##name) && (p.flags & unsigned(jitnorm_##needed)) != unsigned(jitnorm_##needed))                 \
        return invalid("flags has " #name ", which needs " #needed);
#include "../../tables/normalization_flags.inc"
    if (!(std::isfinite(p.epsilon) && p.epsilon >= 0))
        return invalid(explain("epsilon is %g; it must be finite and not negative", p.epsilon));
    if ((p.omitted & ~OMITTABLE) != 0)
        return invalid(explain("omitted 0x%x has bits of tensors that cannot be omitted", p.omitted));
    if (p.scale_is_ones && !p.uses_scale()) return invalid("the scale is all ones, and flags has no use_scale");
    const bool adds_one = p.has(jitnorm_scale_plus_one);
    return p.scale_is_ones && adds_one ? invalid("the scale is all ones, and flags has scale_plus_one") : ACCEPTED;
}

// ---------------------------------------------------------------- the tensors

status check_rank(const problem &p) {
    if (p[SRC].ndims == 0) return invalid("src has no dimensions");
    if (p[SRC].ndims < 2 || p[SRC].ndims > MAX_NDIMS)
        return invalid(explain("src has %d dimension%s; 2 to %d are supported", p[SRC].ndims,
                               p[SRC].ndims == 1 ? "" : "s", MAX_NDIMS));
    return 1 <= p.normalized_axes && p.normalized_axes < p[SRC].ndims
               ? ACCEPTED
               : invalid(explain("%d of src's %d dimensions are normalized; 1 to %d are possible", p.normalized_axes,
                                 p[SRC].ndims, p[SRC].ndims - 1));
}

// Of every tensor with a descriptor, used or not: the dimensions of others follow from it.
status check_sizes(const problem &p) {
    const size_t slots = FIRST_POST_OP + p.attr.post_ops.entries.size();
    for (size_t i = 0; i < slots; ++i) {
        const slot s = slot(i);
        const memory_desc *md = p.descriptor(s);
        if (md == nullptr || fits_in_memory(*md)) continue;
        return invalid(explain("%s (%s, %s), or a vector or statistics of its dimensions, is too large to be addressed",
                               s == MEAN ? STATISTICS : tensor_name(s), dims_text(*md).text, text_of(md->data_type)));
    }
    return ACCEPTED;
}

status check_presence(const problem &p) {
    if (const auto found = find_tensor(p, [](auto &md) { return md.ndims == 0; }))
        return invalid(explain("%s has no dimensions", found.name));
    if (const auto found = find_tensor(p, [](auto &md) { return size_of(md.data_type) == 0; }))
        return invalid(explain("%s has the unknown data type %d", found.name, int(found.md->data_type)));
    if (const auto found = find_tensor(p, [](auto &md) { return md.format_kind != jitnorm_blocked; }))
        return invalid(explain("%s has an undecided layout", found.name));
    return ACCEPTED;
}

status check_dims(const problem &p) {
    const auto differs = [&](const memory_desc &md) { return &md != &p[VARIANCE] && !same_dims(p[SRC], md); };
    if (const auto found = find_tensor(p, differs))
        return invalid(explain_dims(found.name, dims_of(*found.md), "src", dims_of(p[SRC])));
    const std::span<const dim_t> given = dims_of(p[VARIANCE]), rows = p.row_dims();
    return std::ranges::equal(given, rows)
               ? ACCEPTED
               : invalid(explain_dims(STATISTICS, given, "src without its normalized dimensions", rows));
}

status check_outputs(const problem &p) {
    for (const tensor_kind &t : TENSORS)
        if (p.writes(t.place) && is_broadcast(p[t.place]))
            return invalid(explain("%s is an output and has a stride of 0", t.name));
    return ACCEPTED;
}

// ---------------------------------------------------------------- the types

// The type of the tensors `names`. `or_f64`: they may be f64.
status check_narrow_type(jitnorm_data_type_t type, const char *names, bool or_f64 = false, const char *also = "") {
    if (size_of(type) == 0) return invalid(explain("%s have the unknown data type %d", names, int(type)));
    return is_single_or_half(type) || (or_f64 && type == jitnorm_f64)
               ? ACCEPTED
               : unsupported(explain("%s are %s; supported: f32, bf16 and f16%s", names, text_of(type), also));
}

status check_data_types(const problem &p) {
    const auto [name, md] = find_tensor(p, [&](const memory_desc &one) {
        if (&one == &p[VARIANCE] || is_float(one.data_type)) return false;
        return !p.is_forward() || !(is_int8(one.data_type) || (&one == &p[DST] && is_f8(one.data_type)));
    });
    if (md == nullptr) return check_narrow_type(p[VARIANCE].data_type, STATISTICS);
    return unsupported(explain("%s is %s; %s supports f32, bf16, f16%s%s", name, text_of(md->data_type),
                               p.is_forward() ? "forward" : "backward",
                               !p.is_forward() ? " and f64"
                               : md == &p[DST] ? ", f64, s8, u8, f8_e5m2 and f8_e4m3"
                                               : ", f64, s8 and u8",
                               md == &p[DST] ? " as dst" : ""));
}

status check_affine_type(const problem &p, jitnorm_data_type_t type, const char *names) {
    return check_narrow_type(type, names, p.computes_in_double(), ", and f64 if the data is f64");
}

status check_row_range(const problem &p) {
    if (!p.is_partial()) return ACCEPTED;
    if (p.is_forward()) return invalid("forward takes no row range of a larger problem");
    if (p.has_runtime_sizes()) return unsupported("a row range of a larger problem needs sizes known at creation");
    return p.first_row >= 0 && p.first_row <= p.all_rows - p.rows()
               ? ACCEPTED
               : invalid(explain("rows %lld to %lld are outside of the %lld rows of the larger problem",
                                 as_number(p.first_row), as_number(p.first_row + p.rows() - 1), as_number(p.all_rows)));
}

// Neither scales nor post-ops.
bool has_plain_attributes(const problem &p) {
    return !p.attr.src_scale && !p.attr.dst_scale && p.attr.post_ops.entries.empty();
}

// Without dst there is nothing to scale.
status check_only_statistics(const problem &p) {
    if (!p.is_forward() || (p.omitted & bit_of(DST)) == 0) return ACCEPTED;
    if (!p.writes(MEAN) && !p.writes(VARIANCE) && !p.writes(ROW_SUMS))
        return invalid("dst is omitted, and no statistics are written");
    if (p.uses_scale() || p.uses_shift()) return invalid("dst is omitted, and flags has use_scale or use_shift");
    const bool has_outputs =
        std::ranges::any_of(TENSORS, [&](auto &t) { return is_further_output(t) && p.writes(t.place); });
    return has_plain_attributes(p) && !p.has_dynamic_scales() && !has_outputs
               ? ACCEPTED
               : invalid("dst is omitted, and attr has scales, post-ops or an output computed from dst");
}

status check_shared_columns(const problem &p) {
    if (!p.shares_columns()) return ACCEPTED;
    if (!p.is_forward()) return unsupported("backward takes no column range of longer rows");
    if (p.has(jitnorm_use_global_stats))
        return invalid("flags has use_global_stats, and a column range computes statistics from row sums");
    if (p.has_runtime_sizes()) return unsupported("a column range of longer rows needs sizes known at creation");
    if (p.row_length() < 1 || p.row_length() > p.all_columns)
        return invalid(
            explain("src has %lld columns; a whole row has %lld", as_number(p.row_length()), as_number(p.all_columns)));
    if (p.has_row_groups()) return unsupported("scale, shift and gate of a column range have no row dimensions");
    if (p.has_dynamic_scales()) return unsupported("dynamic scales need whole rows, not a column range");
    return p.computes_in_double() && p[SRC].data_type != jitnorm_f64
               ? unsupported("a column range has an f64 tensor, and src is not f64")
               : ACCEPTED;
}

status check_affine_types(const problem &p) {
    if (p.uses_scale() || p.uses_shift()) JITNORM_TRY(check_affine_type(p, p.scale_shift_type, "scale and shift"));
    if (!p.writes(DIFF_SCALE) && !p.writes(DIFF_SHIFT)) return ACCEPTED;
    if (p.is_partial())
        return p.diff_scale_shift_type == jitnorm_f64 ? ACCEPTED : invalid("partial sums of gradients must be f64");
    return check_affine_type(p, p.diff_scale_shift_type, "gradients of scale and shift");
}

// Scale, shift or gate with the dimensions of src, or 1 where these count rows.
status check_row_dimensions(const problem &p, slot s) {
    const memory_desc &md = p[s], &src = p[SRC];
    const char *const name = tensor_name(s);
    if (md.ndims == 0) return ACCEPTED;
    bool fits = md.ndims == src.ndims;
    for (int d = 0; fits && d < src.ndims; ++d)
        fits = md.dims[d] == src.dims[d] || (md.dims[d] == 1 && d < p.row_ndims());
    if (!fits) return invalid(explain_dims(name, dims_of(md), "src, or 1 where it counts rows,", dims_of(src)));
    if (s == GATE) JITNORM_TRY(check_affine_type(p, md.data_type, "gates"));
    if (s != GATE && md.data_type != p.scale_shift_type)
        return invalid(explain("%s is %s; the type of scale and shift is %s", name, text_of(md.data_type),
                               text_of(p.scale_shift_type)));
    if (md.format_kind != jitnorm_blocked) return invalid(explain("%s has an undecided layout", name));
    return has_runtime_dims(md) || has_dense_rows(md, p.row_ndims())
               ? ACCEPTED
               : unsupported(explain("the rows of %s are not contiguous", name));
}

// A group of rows is a problem of its own, so it must be a part of each tensor that strides can describe.
status check_row_groups(const problem &p) {
    for (const slot s : GROUPED) JITNORM_TRY(check_row_dimensions(p, s));
    if (!p.has_row_groups()) return ACCEPTED;
    if (p.is_partial()) return unsupported("scale and shift of a row range have no row dimensions");
    for (int d = 0; d < p.row_ndims(); ++d) {
        if (!changes_along(p, d)) continue;
        for (const auto &[gradient, parameter] : {std::pair(DIFF_SCALE, SCALE), std::pair(DIFF_SHIFT, SHIFT)})
            if (p.writes(gradient) && (p[parameter].ndims == 0 || p[parameter].dims[d] == 1))
                return unsupported(
                    "backward with diff_scale or diff_shift needs equal row dimensions in scale and shift");
        bool splits = false;
        p.for_each_descriptor([&](const memory_desc &md) { splits |= d < md.ndims && block_of(md, d) != 1; });
        if (splits) return unsupported("scale, shift or gate change along a dimension that is blocked");
    }
    return ACCEPTED;
}

// ---------------------------------------------------------------- the attributes

status check_further_outputs(const problem &p) {
    for (const tensor_kind &t : TENSORS) {
        if (!is_further_output(t) || !p.writes(t.place)) continue;
        if (!p.is_forward()) return unsupported(explain("%s is an output of forward only", t.name));
        if (!is_float(p[t.place].data_type))
            return unsupported(
                explain("%s is %s; supported: f32, bf16, f16 and f64", t.name, text_of(p[t.place].data_type)));
    }
    return ACCEPTED;
}

status check_residual(const problem &p) {
    if (!p.is_forward() && p.attr.multiplies_silu)
        return unsupported(
            "backward supports a residual that is added, not multiplied (mul_silu); without this flag diff_src is "
            "the gradient of the product");
    if (p.reads(RESIDUAL) && p.attr.normalizes_rounded_sum && !p.writes(SUM))
        return invalid("attr has residual_normalize_rounded, and the sum is no output");
    return p.reads(BIAS) ? check_narrow_type(p.attr.bias_type, "biases") : ACCEPTED;
}

status check_entry(const sum_post_op &op, const problem &p) {
    const jitnorm_data_type_t type = op.data_type == jitnorm_data_type_undef ? p[DST].data_type : op.data_type;
    if (size_of(type) != size_of(p[DST].data_type))
        return invalid(explain("the sum post-op reads dst as %s, whose size differs from that of dst's type, %s",
                               text_of(type), text_of(p[DST].data_type)));
    if (is_f8(type)) return unsupported(explain("a sum post-op does not support %s", text_of(type)));
    if (op.zero_point != 0 && !is_int8(type))
        return invalid(
            explain("the sum post-op reads dst as %s and has the zero point %d; only s8 and u8 have zero points",
                    text_of(type), int(op.zero_point)));
    return ACCEPTED;
}

status check_entry(const eltwise_post_op &op, const problem &) {
    return is_eltwise(op.alg) ? ACCEPTED : invalid(explain("unknown eltwise algorithm %d", int(op.alg)));
}

status check_entry(const binary_post_op &op, const problem &p) {
    if (!is_binary(op.alg)) return invalid(explain("unknown binary algorithm %d", int(op.alg)));
    if (size_of(op.src1.data_type) == 0)
        return invalid(explain("src1 has the unknown data type %d", int(op.src1.data_type)));
    if (is_f8(op.src1.data_type)) return unsupported(explain("src1 cannot be %s", text_of(op.src1.data_type)));
    if (op.src1.format_kind != jitnorm_blocked) return invalid("src1 has an undecided layout");
    const memory_desc &dst = p[DST];
    memory_desc stretched = op.src1; // with the dimensions of dst in place of ones, if it has as many
    for (int d = 0; d < dst.ndims && stretched.ndims == dst.ndims; ++d)
        if (stretched.dims[d] == 1) stretched.dims[d] = dst.dims[d];
    return same_dims(stretched, dst)
               ? ACCEPTED
               : invalid(explain_dims("src1, broadcast,", dims_of(stretched), "dst", dims_of(dst)));
}

status check_attributes(const problem &p) {
    if (!p.is_forward() && !has_plain_attributes(p)) return unsupported("backward takes neither scales nor post-ops");
    const auto &entries = p.attr.post_ops.entries;
    if (entries.size() > size_t(MAX_POST_OPS))
        return invalid(explain("there are %zu post-ops; up to %d are supported", entries.size(), MAX_POST_OPS));
    for (size_t i = 0; i < entries.size(); ++i) {
        const status v = std::visit([&](const auto &op) { return check_entry(op, p); }, entries[i]);
        if (!v.failed()) continue;
        char name[32];
        std::snprintf(name, sizeof name, "post-op %zu", i);
        return {v.code, explain_part(name, v.reason)};
    }
    return ACCEPTED;
}

// Whether the scales have the dimensions that scales_per_row() describes; sizes are known.
bool has_right_dims(const memory_desc &scales, const problem &p) {
    if (scales.ndims != p[SRC].ndims || !std::equal(scales.dims, scales.dims + p.row_ndims(), p[SRC].dims))
        return false;
    const dim_t columns = p.row_length(), groups = scales_per_row(p);
    if (groups == 1 || p.normalized_axes != 1) return groups == 1;
    return groups == 0 ? columns == 0 : columns % groups == 0;
}

status check_dynamic_scales(const problem &p) {
    if (!p.has_dynamic_scales()) return ACCEPTED;
    const memory_desc &scales = p[DST_SCALE];
    if (!p.is_forward()) return unsupported("dynamic scales are supported by forward only");
    if (p.attr.dst_scale) return invalid("dst has both a static scale and dynamic scales");
    if (p.has_runtime_sizes()) return unsupported("dynamic scales need sizes and strides known at creation");
    if (size_of(p[DST].data_type) != 1)
        return unsupported(explain("dst is %s; dynamic scales are supported for s8, u8, f8_e5m2 and f8_e4m3",
                                   text_of(p[DST].data_type)));
    if (p.attr.post_ops.read_dst())
        return unsupported("a sum post-op reads dst, whose dynamic scales are not computed yet");
    if (scales.data_type != jitnorm_f32 || scales.format_kind != jitnorm_blocked || scales.inner_nblks != 0)
        return unsupported("dynamic scales must be f32 without inner blocks");
    return has_right_dims(scales, p)
               ? ACCEPTED
               : invalid(explain("the dynamic scales have the dimensions %s, dst has %s; supported: one scale per row, "
                                 "or one per group of a row's columns",
                                 dims_text(scales).text, dims_text(p[DST]).text));
}

// ---------------------------------------------------------------- the whole

// The steps refuse what a whole problem allows and a part of it does not.
status check_gate_gradients(const problem &p) {
    if (p.has_runtime_sizes()) return unsupported("backward with a gate needs sizes known at creation");
    if (p.is_partial()) return unsupported("a row range of a larger problem takes no gate");
    JITNORM_TRY(validate(without_gate(p)));
    return validate(gate_product(p));
}

// The order matters: a check may rely on what the checks before it have accepted.
constexpr status (*CHECKS[])(const problem &) = {
    check_operation,  check_rank,      check_sizes,          check_only_statistics,
    check_presence,   check_dims,      check_outputs,        check_further_outputs,
    check_data_types, check_row_range, check_shared_columns, check_affine_types,
    check_row_groups, check_residual,  check_attributes,     check_dynamic_scales};

} // namespace

status validate(const problem &p) {
    for (const auto check : CHECKS) JITNORM_TRY(check(p));
    return p.has_gate_gradients() ? check_gate_gradients(p) : ACCEPTED;
}

} // namespace jitnorm::impl::layer_norm
