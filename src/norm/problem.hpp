// SPDX-License-Identifier: Apache-2.0
// layer_norm::problem: everything that defines the work, as one immutable value. Every front end makes a problem, and
// every implementation takes one. The problem and the data decide every bit of the result; nothing else may.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "../base/status.hpp"
#include "tensors.hpp"

namespace jitnorm::impl::layer_norm {

// The variance tensor has the variance (with rms_norm the mean of squares), or 1 / sqrt(variance + epsilon).
enum class statistics_form { variance, inverse_deviation };

struct problem {
    jitnorm_prop_kind_t prop_kind = jitnorm_prop_kind_undef;
    unsigned flags = 0; // jitnorm_normalization_flags_t
    double epsilon = 0;

    // The number of dimensions of src, the last ones, that are normalized together. A row is the elements of these
    // dimensions in row-major order. The other dimensions count rows; there is at least one.
    int normalized_axes = 1;
    statistics_form form = statistics_form::variance;
    unsigned omitted = 0; // bits of slots: outputs (OMITTABLE) that are not written although kind and flags ask for it
    bool scale_is_ones = false; // with use_scale: every scale is 1 and no tensor has it; diff_scale may be written

    // The descriptor of a tensor, empty if there is none. The statistics of rows have one descriptor, with the row
    // dimensions of src. SCALE and SHIFT have one only if they have row dimensions (row_groups.hpp), DST_SCALE only if
    // the library finds the scales (scales_per_row()). That of GATE always has the dimensions of src, 1 for some of
    // those that count rows. To be changed, it must be one that the problem keeps (has_descriptor()).
    const memory_desc &operator[](slot s) const {
        const int index = INDICES[size_t(s)];
        return index < 0 ? NO_TENSOR : descriptors_[size_t(index)];
    }
    memory_desc &operator[](slot s) { return descriptors_[size_t(INDICES[size_t(s)])]; }

    // Scale and shift are dense vectors of C elements, unless they have descriptors. Their gradients are dense, and so
    // is that of the gate, which has the gate's type.
    jitnorm_data_type_t scale_shift_type = jitnorm_f32, diff_scale_shift_type = jitnorm_f32;

    // A partial problem is backward of some rows of a larger problem that has `all_rows` rows; `first_row` is the
    // number of its first row there. Then diff_scale and diff_shift have a row of C doubles for each part of the
    // gradients' sums (row_blocks.hpp). If all_rows is negative, the problem is not partial.
    dim_t first_row = 0, all_rows = -1;

    // The columns may be a part, cut between chunks, of rows of `all_columns` columns: then there are ROW_SUMS. A
    // problem that omits dst writes the moments of each chunk of its columns there. One with dst reads the moments of
    // the whole rows there (moments.hpp). If all_columns is negative, the columns are whole rows.
    dim_t all_columns = -1;

    attributes attr;

    bool is_forward() const { return prop_kind == jitnorm_forward_training || prop_kind == jitnorm_forward_inference; }
    bool has(jitnorm_normalization_flags_t flag) const { return (flags & unsigned(flag)) != 0; }
    bool is_rms() const { return has(jitnorm_rms_norm); }
    bool uses_scale() const { return has(jitnorm_use_scale); }
    bool uses_shift() const { return has(jitnorm_use_shift); }
    // The flags that say how the values of scale and shift are used; each implies uses_scale() or uses_shift(). Where
    // values are rounded says normalized_type().
    unsigned affine_flags() const;
    // Whether the caller gives the statistics: with use_global_stats, and always in backward.
    bool statistics_are_inputs() const { return !is_forward() || has(jitnorm_use_global_stats); }
    bool is_partial() const { return all_rows >= 0; }
    bool shares_columns() const { return all_columns >= 0; }
    // Whether the statistics are found from the rows of src.
    bool finds_statistics() const { return !statistics_are_inputs() && !reads(ROW_SUMS); }
    // Backward of src * gate + residual, in two steps (gate_gradients.hpp).
    bool has_gate_gradients() const {
        return !is_forward() && (*this)[GATE].ndims != 0 && (*this)[RESIDUAL].ndims != 0;
    }

    // How an execution uses a tensor.
    use use_of(slot s) const;
    bool uses(slot s) const { return use_of(s) != use::absent; }
    bool reads(slot s) const { return use_of(s) == use::read || use_of(s) == use::updated; }
    bool writes(slot s) const { return use_of(s) == use::written || use_of(s) == use::updated; }

    // The descriptor of a tensor, used or not; empty for the scratchpad and the moments of rows. In a partial problem
    // those of the gradients of scale and shift are of one part of the sums.
    memory_desc layout(slot s) const;

    // src1 of the binary post-op in this slot; null if there is none.
    const memory_desc *post_op_operand(slot s) const {
        const auto index = size_t(s - FIRST_POST_OP);
        const auto *binary =
            index < attr.post_ops.entries.size() ? std::get_if<binary_post_op>(&attr.post_ops.entries[index]) : nullptr;
        return binary != nullptr ? &binary->src1 : nullptr;
    }

    // The descriptor of a tensor, src1 of a binary post-op included; null if it is empty or the problem keeps none.
    const memory_desc *descriptor(slot s) const {
        if (s >= FIRST_POST_OP) return post_op_operand(s);
        const memory_desc &md = (*this)[s];
        return md.ndims != 0 ? &md : nullptr;
    }
    memory_desc *descriptor(slot s) { return const_cast<memory_desc *>(std::as_const(*this).descriptor(s)); }

    // Calls body(descriptor) for each descriptor that is not empty, src1 of post-ops among them.
    template <typename Body>
    void for_each_descriptor(Body &&body) const {
        for (const memory_desc &md : descriptors_)
            if (md.ndims != 0) body(md);
        for (const post_op &entry : attr.post_ops.entries)
            if (const auto *binary = std::get_if<binary_post_op>(&entry)) body(binary->src1);
    }
    template <typename Body>
    void for_each_descriptor(Body &&body) {
        std::as_const(*this).for_each_descriptor([&](const memory_desc &md) { body(const_cast<memory_desc &>(md)); });
    }

    // The descriptors that the problem keeps, in the order of their slots. Some may be empty.
    std::span<const memory_desc> descriptors() const { return descriptors_; }

    bool has_dynamic_scales() const { return (*this)[DST_SCALE].ndims != 0; }
    // Whether scale or shift have row dimensions, or forward's gate changes along some: then rows for which all of them
    // are equal are a group (row_groups.hpp).
    bool has_row_groups() const;

    // The compute type is double where a data tensor is f64, otherwise float (docs/arithmetic.md, "Notation").
    bool computes_in_double() const;
    // The type of the rows that are normalized: that of src, or of the sum with the residual as it is normalized.
    jitnorm_data_type_t row_type() const;
    // The types to which normalized values are rounded, before and after they are scaled and shifted; the compute type:
    // they are not rounded (docs/arithmetic.md, "Rounded normalized values").
    jitnorm_data_type_t normalized_type() const;
    jitnorm_data_type_t scaled_type() const;

    jitnorm_data_type_t compute_type() const { return computes_in_double() ? jitnorm_f64 : jitnorm_f32; }
    dim_t compute_size() const { return computes_in_double() ? dim_t(sizeof(double)) : dim_t(sizeof(float)); }

    // Whether sizes or strides of any tensor are known at execution only. Then executions bring the problem with its
    // sizes (arguments::sizes), and rows() and has_elements() of this one mean nothing.
    bool has_runtime_sizes() const;

    int row_ndims() const { return (*this)[SRC].ndims - normalized_axes; } // the number of dimensions that count rows
    std::span<const dim_t> row_dims() const { return dims_of((*this)[SRC]).first(size_t(row_ndims())); }
    dim_t rows() const { return product_of(row_dims()); }
    // C, the elements of a row; RUNTIME_DIM where it is known at execution only.
    dim_t row_length() const { return product_of(dims_of((*this)[SRC]).subspan(size_t(row_ndims()))); }
    // The same of rows whose columns several problems share.
    dim_t whole_row_length() const { return shares_columns() ? all_columns : row_length(); }
    bool has_elements() const { return nelems((*this)[SRC]) != 0; }

    bool operator==(const problem &) const = default;

private:
    // Where the descriptor of each slot is; negative if the problem keeps none.
    static constexpr auto INDICES = [] {
        std::array<int, FIRST_POST_OP> indices = {};
        int next = 0;
        for (const tensor_kind &t : TENSORS) indices[size_t(t.place)] = has_descriptor(t) ? next++ : -1;
        for (const tensor_kind &t : TENSORS)
            if (t.descriptor != NO_SLOT) indices[size_t(t.place)] = indices[size_t(t.descriptor)];
        return indices;
    }();
    static constexpr auto DESCRIPTORS = size_t(std::ranges::count_if(TENSORS, has_descriptor));

    std::array<memory_desc, DESCRIPTORS> descriptors_;
};

// The only place with these rules.
inline use problem::use_of(slot s) const {
    const auto read_if = [](bool condition) { return condition ? use::read : use::absent; };
    const auto written_if = [&](bool condition) {
        return condition && (omitted & bit_of(s)) == 0 ? use::written : use::absent;
    };
    const auto statistic = [&](bool wanted) {
        return statistics_are_inputs() ? read_if(wanted) : written_if(wanted && prop_kind == jitnorm_forward_training);
    };
    const bool forward = is_forward(), exists = s < FIRST_POST_OP && (*this)[s].ndims != 0;
    const bool adds = forward && (*this)[RESIDUAL].ndims != 0, has_gate = has_gate_gradients();
    switch (s) {
    case SRC:
        return use::read;
    case DST:
        return forward && attr.post_ops.read_dst() ? use::updated : written_if(forward);
    case MEAN:
        return statistic(!is_rms());
    case VARIANCE:
        return statistic(true);
    case SCALE:
        return read_if(uses_scale() && !scale_is_ones);
    case SHIFT:
        return read_if(forward && uses_shift());
    case DIFF_DST:
        return read_if(!forward);
    case DIFF_SRC:
        return written_if(!forward);
    case DIFF_SCALE:
        return written_if(prop_kind == jitnorm_backward && uses_scale());
    case DIFF_SHIFT:
        return written_if(prop_kind == jitnorm_backward && uses_shift());
    case RESIDUAL:
        return read_if(adds || has_gate);
    case SUM:
        return written_if(adds && exists);
    case BIAS:
        return read_if(adds && attr.bias_type != jitnorm_data_type_undef);
    case GATE:
        return read_if((adds && exists) || has_gate);
    case DIFF_SUM:
        return read_if(exists && writes(DIFF_SRC));
    case DIFF_GATED:
        return written_if(has_gate);
    case DIFF_GATE:
        return written_if(has_gate && prop_kind == jitnorm_backward);
    case SRC_SCALE:
        return read_if(attr.src_scale);
    case DST_SCALE:
        return exists ? use::written : read_if(attr.dst_scale);
    case ROW_SUMS:
        return !shares_columns() ? use::absent : writes(DST) ? use::read : use::written;
    case SCRATCHPAD:
        return written_if(attr.scratchpad_mode == jitnorm_scratchpad_mode_user);
    default: // further outputs, and operands of post-ops
        return s < FIRST_POST_OP ? written_if(exists) : read_if(post_op_operand(s) != nullptr);
    }
}

// Scales of dst that the library finds from the values of dst and writes to a tensor of f32, p[DST_SCALE]. A row has
// one scale, or its columns are cut into groups of equal width and each group has one. The dimensions of the tensor say
// which. It has the row dimensions of dst. If all its normalized dimensions are 1, a row has one scale. If exactly one
// dimension is normalized, it may be the number of groups instead. Both functions need a problem that finds scales;
// columns_per_scale() also needs one whose tensors have elements.
dim_t scales_per_row(const problem &p);
dim_t columns_per_scale(const problem &p);

// The problem as one line of benchdnn-lite's syntax, for the verbose log.
std::string describe(const problem &p);

// Accepts a problem that at least one implementation solves. Otherwise the problem has no meaning (invalid) or no
// implementation supports it (unsupported), and the status has the reason.
status validate(const problem &p);

} // namespace jitnorm::impl::layer_norm
