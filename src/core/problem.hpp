// SPDX-License-Identifier: Apache-2.0
// layer_norm::problem: everything that defines the work, as one immutable value. Every front end makes a problem, and
// every implementation takes one. The problem and the data decide every bit of the result; nothing else may.
#pragma once

#include <string>

#include "attributes.hpp"
#include "memory_desc.hpp"
#include "verdict.hpp"

namespace jitnorm::impl::layer_norm {

// What the variance tensor holds: the variance (with rms_norm the mean of squares), or 1 / sqrt(variance + epsilon).
enum class statistics_form { variance, inverse_deviation };

// Outputs that may be left out (problem::left_out), one bit each.
enum class output : unsigned { mean = 1, variance = 2, diff_src = 4, diff_scale = 8, diff_shift = 16 };

struct problem {
    jitnorm_prop_kind_t prop_kind = jitnorm_prop_kind_undef;
    unsigned flags = 0; // jitnorm_normalization_flags_t
    double epsilon = 0;

    // The number of dimensions of src, the last ones, that are normalized together. A row is the elements of these
    // dimensions in row-major order. The other dimensions count rows; there is at least one.
    int normalized_axes = 1;
    statistics_form form = statistics_form::variance;
    unsigned left_out = 0;      // bits of `output`: what is not written although prop_kind and flags ask for it
    bool scale_is_ones = false; // with use_scale: every scale is 1 and no tensor has it; diff_scale may be written

    memory_desc src;        // forward and backward
    memory_desc dst;        // forward
    memory_desc diff_dst;   // backward
    memory_desc diff_src;   // backward
    memory_desc statistics; // one descriptor for both mean and variance, with the row dimensions of src

    jitnorm_data_type_t scale_shift_type = jitnorm_f32;      // scale and shift are dense vectors of C elements
    jitnorm_data_type_t diff_scale_shift_type = jitnorm_f32; // so are their gradients

    // A partial problem is backward of some rows of a larger problem that has `all_rows` rows; `first_row` is the
    // number of its first row there. Then diff_scale and diff_shift have a row of C doubles for each part of the
    // gradients' sums (row_blocks.hpp). If all_rows is negative, the problem is not partial.
    dim_t first_row = 0, all_rows = -1;

    attributes attr;

    bool is_forward() const { return prop_kind == jitnorm_forward_training || prop_kind == jitnorm_forward_inference; }
    bool has(jitnorm_normalization_flags_t flag) const { return (flags & unsigned(flag)) != 0; }
    bool is_rms() const { return has(jitnorm_rms_norm); }
    bool uses_scale() const { return has(jitnorm_use_scale); }
    bool uses_shift() const { return has(jitnorm_use_shift); }
    bool adds_one_to_scale() const { return has(jitnorm_scale_plus_one); } // implies uses_scale()
    // Whether the caller gives the statistics: with use_global_stats, and always in backward.
    bool statistics_are_inputs() const { return !is_forward() || has(jitnorm_use_global_stats); }
    bool statistics_are_outputs() const {
        return prop_kind == jitnorm_forward_training && !has(jitnorm_use_global_stats);
    }
    bool is_partial() const { return all_rows >= 0; }
    bool leaves_out(output o) const { return (left_out & unsigned(o)) != 0; }

    bool finds_scales() const { return attr.found_scales.ndims != 0; }

    // Which tensors an execution reads and writes.
    bool reads_scale() const { return uses_scale() && !scale_is_ones; }
    bool reads_mean() const { return statistics_are_inputs() && !is_rms(); }
    bool writes_mean() const { return statistics_are_outputs() && !is_rms() && !leaves_out(output::mean); }
    bool writes_variance() const { return statistics_are_outputs() && !leaves_out(output::variance); }
    bool uses_mean() const { return reads_mean() || writes_mean(); }
    bool uses_variance() const { return statistics_are_inputs() || writes_variance(); }
    bool uses_statistics() const { return uses_mean() || uses_variance(); }
    bool wants_diff_src() const { return !is_forward() && !leaves_out(output::diff_src); }
    bool wants_diff_scale() const {
        return prop_kind == jitnorm_backward && uses_scale() && !leaves_out(output::diff_scale);
    }
    bool wants_diff_shift() const {
        return prop_kind == jitnorm_backward && uses_shift() && !leaves_out(output::diff_shift);
    }

    // A residual is added to src before the normalization (docs/arithmetic.md, "Residual addition").
    bool adds_residual() const { return is_forward() && attr.residual.added.ndims != 0; }
    bool reads_bias() const { return adds_residual() && attr.residual.bias_type != jitnorm_data_type_undef; }
    bool writes_sum() const { return adds_residual() && attr.residual.sum.ndims != 0; }
    // Whether there is a second output, the values of dst before the post-ops (docs/arithmetic.md, "Normalization").
    bool writes_unquantized() const { return attr.unquantized.ndims != 0; }
    // Whether backward adds the gradient of the sum to diff_src.
    bool reads_diff_sum() const { return wants_diff_src() && attr.residual.sum.ndims != 0; }

    // The compute type is double where a data tensor is f64, otherwise float (docs/arithmetic.md, "Notation").
    bool computes_in_double() const;
    // The type of the rows that are normalized: that of src, or of the sum with the residual as it is normalized.
    jitnorm_data_type_t row_type() const;

    dim_t compute_size() const { return computes_in_double() ? dim_t(sizeof(double)) : dim_t(sizeof(float)); }

    // Whether sizes or strides of any tensor are known at execution only. Then executions bring the problem with its
    // sizes (arguments::sizes), and rows() and has_elements() of this one mean nothing.
    bool has_runtime_sizes() const;

    int row_ndims() const { return src.ndims - normalized_axes; } // the number of dimensions that count rows
    dim_t row_length() const; // C, the elements of a row; RUNTIME_DIM where it is known at execution only
    dim_t rows() const;       // the product of the row dimensions
    bool has_elements() const { return nelems(src) != 0; }

    bool operator==(const problem &) const = default;
};

// The problem as one line of benchdnn-lite's syntax, for the verbose log.
std::string describe(const problem &p);

// Accepts a problem that at least one implementation solves. Otherwise the problem has no meaning (invalid) or no
// implementation supports it (unsupported), and the verdict has the reason.
verdict validate(const problem &p);

} // namespace jitnorm::impl::layer_norm
