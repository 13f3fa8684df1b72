// SPDX-License-Identifier: Apache-2.0
// validate: the rules that every front end's problems must pass, one check per rule. A problem without a meaning is
// invalid_arguments; a problem with a meaning that no implementation solves is unimplemented. Front ends call this
// after they have chosen layouts for format_kind any and a statistics descriptor where the caller gave none. Two
// run-time sizes count as equal here; an execution checks the problem again with its own sizes.
#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "../system/last_error.hpp"
#include "found_scales.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

constexpr unsigned KNOWN_FLAGS = unsigned(jitnorm_use_global_stats) | unsigned(jitnorm_use_scale) |
                                 unsigned(jitnorm_use_shift) | unsigned(jitnorm_rms_norm) |
                                 unsigned(jitnorm_inverse_deviation) | unsigned(jitnorm_scale_plus_one);
constexpr unsigned KNOWN_OUTPUTS = unsigned(output::mean) | unsigned(output::variance) | unsigned(output::diff_src) |
                                   unsigned(output::diff_scale) | unsigned(output::diff_shift);

template <typename Value, typename... Values>
bool is_one_of(Value value, Values... values) {
    return ((value == values) || ...);
}

// The name of the first tensor for which `holds` is true; null if there is none.
template <typename Predicate>
const char *find_tensor(const problem &p, Predicate &&holds) {
    if (holds(p.src)) return "src";
    if (holds(p.statistics)) return "statistics (mean and variance)";
    if (p.adds_residual() && holds(p.attr.residual.added)) return "the residual";
    if (p.writes_sum() && holds(p.attr.residual.sum)) return "the sum with the residual";
    if (p.writes_unquantized() && holds(p.attr.unquantized)) return "the unquantized output";
    if (p.is_forward()) return holds(p.dst) ? "dst" : nullptr;
    if (p.reads_diff_sum() && holds(p.attr.residual.sum)) return "the gradient of the sum with the residual";
    return holds(p.diff_dst) ? "diff_dst" : holds(p.diff_src) ? "diff_src" : nullptr;
}

bool is_data_type(jitnorm_data_type_t type) {
    return is_one_of(type, jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64);
}

bool is_f8(jitnorm_data_type_t type) { return is_one_of(type, jitnorm_f8_e5m2, jitnorm_f8_e4m3); }

bool is_int8(jitnorm_data_type_t type) { return is_one_of(type, jitnorm_s8, jitnorm_u8); }

// ---------------------------------------------------------------- the operation

verdict check_prop_kind(const problem &p) {
    const bool known = p.is_forward() || is_one_of(p.prop_kind, jitnorm_backward, jitnorm_backward_data);
    return known ? ACCEPTED : invalid("unknown propagation kind");
}

verdict check_flags(const problem &p) {
    if ((p.flags & ~KNOWN_FLAGS) != 0) return invalid(explain("flags 0x%x has bits of no meaning", p.flags));
    return p.adds_one_to_scale() && !p.uses_scale() ? invalid("flags has scale_plus_one without use_scale") : ACCEPTED;
}

verdict check_epsilon(const problem &p) {
    return std::isfinite(p.epsilon) && p.epsilon >= 0
               ? ACCEPTED
               : invalid(explain("epsilon is %g, it must be finite and not negative", p.epsilon));
}

verdict check_choices(const problem &p) {
    if ((p.left_out & ~KNOWN_OUTPUTS) != 0) return invalid("an unknown output is left out");
    if (p.scale_is_ones && !p.uses_scale()) return invalid("a scale of ones without the flag for a scale");
    return p.scale_is_ones && p.adds_one_to_scale() ? invalid("a scale of ones that one is added to") : ACCEPTED;
}

// ---------------------------------------------------------------- the tensors

verdict check_rank(const problem &p) {
    if (p.src.ndims == 0) return invalid("src has no dimensions");
    if (p.src.ndims < 2 || p.src.ndims > MAX_NDIMS)
        return invalid(explain("src has %d dimension%s, 2 to %d are supported", p.src.ndims,
                               p.src.ndims == 1 ? "" : "s", MAX_NDIMS));
    return 1 <= p.normalized_axes && p.normalized_axes < p.src.ndims
               ? ACCEPTED
               : invalid("at least one dimension must be normalized, and at least one must count rows");
}

// No program has more addresses than this on any x86-64 processor. Up to this limit no number that is derived from
// sizes overflows: lengths of vectors, sums of several tensors' bytes, strides times sizes, sizes of scratchpads.
constexpr dim_t MOST_BYTES = dim_t(1) << 56;
constexpr dim_t MOST_ELEMENTS = MOST_BYTES / dim_t(sizeof(double));

// A dimension of 0 or of run time counts as 1, because the other dimensions still are sizes of vectors and statistics.
bool has_possible_size(const memory_desc &md) {
    dim_t elements = 1;
    for (int d = 0; d < md.ndims; ++d)
        if (__builtin_mul_overflow(elements, std::max<dim_t>(md.padded_dims[d], 1), &elements)) return false;
    return elements <= MOST_ELEMENTS && (has_runtime_dims(md) || bytes(md) <= size_t(MOST_BYTES));
}

verdict check_sizes(const problem &p) {
    const auto &post_ops = p.attr.post_ops.entries;
    if (const char *name = find_tensor(p, [](const memory_desc &md) { return !has_possible_size(md); }))
        return invalid(explain("%s, or one that goes with it, is larger than memory can be", name));
    const bool possible = std::all_of(post_ops.begin(), post_ops.end(), [](const post_op &entry) {
        const auto *binary = std::get_if<binary_post_op>(&entry);
        return binary == nullptr || has_possible_size(binary->src1);
    });
    return possible ? ACCEPTED : invalid("src1 of a binary post-op is larger than memory can be");
}

verdict check_presence(const problem &p) {
    if (const char *name = find_tensor(p, [](auto &md) { return md.ndims == 0; }))
        return invalid(explain("%s has no dimensions", name));
    if (const char *name = find_tensor(p, [](auto &md) { return size_of(md.data_type) == 0; }))
        return invalid(explain("%s has an unknown data type", name));
    if (const char *name = find_tensor(p, [](auto &md) { return md.format_kind != jitnorm_blocked; }))
        return invalid(explain("%s has an undecided layout", name));
    return ACCEPTED;
}

verdict check_data_dims(const problem &p) {
    const auto differs = [&](const memory_desc &md) { return &md != &p.statistics && !same_dims(p.src, md); };
    const char *name = find_tensor(p, differs);
    return name == nullptr ? ACCEPTED : invalid(explain("%s has other dimensions than src", name));
}

verdict check_statistics_dims(const problem &p) {
    const bool fits = p.statistics.ndims == p.row_ndims() &&
                      std::equal(p.statistics.dims, p.statistics.dims + p.statistics.ndims, p.src.dims);
    return fits ? ACCEPTED
                : invalid("statistics (mean and variance) must have the dimensions of src but the normalized ones");
}

verdict check_outputs(const problem &p) {
    const bool statistics = p.writes_mean() || p.writes_variance();
    const char *name = p.is_forward() && is_broadcast(p.dst)                        ? "dst"
                       : p.writes_sum() && is_broadcast(p.attr.residual.sum)        ? "the sum with the residual"
                       : p.writes_unquantized() && is_broadcast(p.attr.unquantized) ? "the unquantized output"
                       : p.wants_diff_src() && is_broadcast(p.diff_src)             ? "diff_src"
                       : statistics && is_broadcast(p.statistics)                   ? "statistics (mean and variance)"
                                                                                    : nullptr;
    return name == nullptr ? ACCEPTED : invalid(explain("%s has a stride of 0 and is an output", name));
}

// ---------------------------------------------------------------- the types

verdict check_data_types(const problem &p) {
    const char *name = find_tensor(p, [&](const memory_desc &md) {
        if (&md == &p.statistics || is_data_type(md.data_type)) return false;
        return !p.is_forward() || !(is_int8(md.data_type) || (&md == &p.dst && is_f8(md.data_type)));
    });
    if (name == nullptr) return ACCEPTED;
    if (!p.is_forward()) return unsupported(explain("%s is none of f32, bf16, f16 and f64", name));
    return unsupported(std::string_view(name) == "dst"
                           ? "dst is none of f32, bf16, f16, f64, s8, u8, f8_e5m2 and f8_e4m3"
                           : explain("%s is none of f32, bf16, f16, f64, s8 and u8", name));
}

verdict check_unquantized(const problem &p) {
    if (!p.writes_unquantized()) return ACCEPTED;
    if (!p.is_forward()) return unsupported("backward has no unquantized output");
    return is_data_type(p.attr.unquantized.data_type)
               ? ACCEPTED
               : unsupported("the unquantized output is none of f32, bf16, f16 and f64");
}

verdict check_statistics_type(const problem &p) {
    return is_one_of(p.statistics.data_type, jitnorm_f32, jitnorm_bf16, jitnorm_f16)
               ? ACCEPTED
               : unsupported("statistics (mean and variance) are none of f32, bf16 and f16");
}

verdict check_affine_type(const problem &p, jitnorm_data_type_t type) {
    if (size_of(type) == 0) return invalid("unknown data type of scale and shift");
    if (type == jitnorm_f64 && p.computes_in_double()) return ACCEPTED;
    return is_one_of(type, jitnorm_f32, jitnorm_bf16, jitnorm_f16)
               ? ACCEPTED
               : unsupported("scale and shift of type f32, bf16 or f16 are supported, and of f64 where data is f64");
}

verdict check_row_range(const problem &p) {
    if (!p.is_partial()) return ACCEPTED;
    if (p.is_forward()) return invalid("forward has no rows of a larger problem");
    if (p.has_runtime_sizes()) return unsupported("rows of a larger problem have sizes that are known");
    return p.first_row >= 0 && p.rows() <= p.all_rows && p.first_row <= p.all_rows - p.rows()
               ? ACCEPTED
               : invalid("the rows are not among those of the larger problem");
}

verdict check_scale_shift_type(const problem &p) {
    return p.uses_scale() || p.uses_shift() ? check_affine_type(p, p.scale_shift_type) : ACCEPTED;
}

verdict check_diff_scale_shift_type(const problem &p) {
    if (!p.wants_diff_scale() && !p.wants_diff_shift()) return ACCEPTED;
    if (p.is_partial()) return p.diff_scale_shift_type == jitnorm_f64 ? ACCEPTED : invalid("sums of parts are not f64");
    return check_affine_type(p, p.diff_scale_shift_type);
}

// ---------------------------------------------------------------- the attributes

verdict check_residual(const problem &p) {
    if (p.adds_residual() && p.attr.residual.normalizes_rounded && !p.writes_sum())
        return invalid("the rounded sum with the residual is to be normalized, and there is none");
    if (!p.reads_bias()) return ACCEPTED;
    if (size_of(p.attr.residual.bias_type) == 0) return invalid("unknown data type of biases");
    return is_one_of(p.attr.residual.bias_type, jitnorm_f32, jitnorm_bf16, jitnorm_f16)
               ? ACCEPTED
               : unsupported("biases of type f32, bf16 or f16 are supported");
}

verdict check_attributes(const problem &p) {
    const bool plain = !p.attr.src_scale && !p.attr.dst_scale && p.attr.post_ops.entries.empty();
    return p.is_forward() || plain ? ACCEPTED : unsupported("backward takes neither scales nor post-ops");
}

verdict check_entry(const sum_post_op &op, const problem &p) {
    const jitnorm_data_type_t type = op.data_type == jitnorm_data_type_undef ? p.dst.data_type : op.data_type;
    if (size_of(type) != size_of(p.dst.data_type))
        return invalid("the type of a sum post-op must have the size of the destination's");
    if (is_f8(type)) return unsupported("a sum post-op reads no f8_e5m2 and no f8_e4m3");
    if (op.zero_point != 0 && !is_int8(type))
        return invalid("a sum post-op has a zero point with the types s8 and u8 only");
    return ACCEPTED;
}

verdict check_entry(const eltwise_post_op &op, const problem &) {
    if (op.alg < jitnorm_eltwise_relu || op.alg > jitnorm_eltwise_hardswish)
        return invalid("unknown algorithm of an eltwise post-op");
    return ACCEPTED;
}

bool broadcasts_to(const memory_desc &src1, const memory_desc &dst) {
    if (src1.ndims != dst.ndims) return false;
    for (int d = 0; d < dst.ndims; ++d)
        if (src1.dims[d] != 1 && src1.dims[d] != dst.dims[d]) return false;
    return true;
}

verdict check_entry(const binary_post_op &op, const problem &p) {
    if (op.alg < jitnorm_binary_add || op.alg > jitnorm_binary_ne)
        return invalid("unknown algorithm of a binary post-op");
    if (size_of(op.src1.data_type) == 0) return invalid("unknown data type of a binary post-op's tensor");
    if (is_f8(op.src1.data_type)) return unsupported("a binary post-op's tensor is no f8_e5m2 and no f8_e4m3");
    if (op.src1.format_kind != jitnorm_blocked) return invalid("the layout of a binary post-op's tensor is not given");
    return broadcasts_to(op.src1, p.dst)
               ? ACCEPTED
               : invalid("each dimension of a binary post-op's tensor must be 1 or the destination's");
}

verdict check_post_ops(const problem &p) {
    const auto &entries = p.attr.post_ops.entries;
    if (entries.size() > size_t(MAX_POST_OPS)) return invalid("more than 32 post-ops");
    for (const post_op &entry : entries) {
        const verdict v = std::visit([&](const auto &op) { return check_entry(op, p); }, entry);
        if (v.failed()) return v;
    }
    return ACCEPTED;
}

// The order matters: a check may rely on what the checks before it have accepted.
constexpr verdict (*CHECKS[])(const problem &) = {
    check_prop_kind,  check_flags,           check_epsilon,    check_choices,          check_rank,
    check_sizes,      check_presence,        check_data_dims,  check_statistics_dims,  check_outputs,
    check_data_types, check_statistics_type, check_row_range,  check_scale_shift_type, check_diff_scale_shift_type,
    check_residual,   check_unquantized,     check_attributes, check_post_ops,         check_found_scales,
};

} // namespace

verdict validate(const problem &p) {
    for (const auto check : CHECKS) {
        const verdict v = check(p);
        if (v.failed()) return v;
    }
    return ACCEPTED;
}

} // namespace jitnorm::impl::layer_norm
