// SPDX-License-Identifier: Apache-2.0
// layer_norm::problem: everything that defines the work, as one immutable value. Every front end makes one, every
// implementation takes one, and nothing that is not in it may change a result's bits but the data itself.
#pragma once

#include <string>

#include "attributes.hpp"
#include "memory_desc.hpp"
#include "verdict.hpp"

namespace jitnorm::impl::layer_norm {

// What the variance tensor holds: the variance (of rms_norm: the mean of squares), or 1 / sqrt(variance + epsilon).
enum class statistics_form { variance, inverse_deviation };

// Outputs that may be left out (problem::left_out), one bit each.
enum class output : unsigned { mean = 1, variance = 2, diff_src = 4, diff_scale = 8, diff_shift = 16 };

struct problem {
    jitnorm_prop_kind_t prop_kind = jitnorm_prop_kind_undef;
    unsigned flags = 0; // jitnorm_normalization_flags_t
    float epsilon = 0;

    // How many dimensions of src, the last ones, are normalized together. A row is their elements in row-major order;
    // at least one dimension counts rows.
    int normalized_axes = 1;
    statistics_form form = statistics_form::variance;
    unsigned left_out = 0;      // outputs that the kind and the flags ask for and that are not written all the same
    bool scale_is_ones = false; // with use_scale: there is no scale to read, ones stand for it; diff_scale there may be

    memory_desc src;        // forward and backward
    memory_desc dst;        // forward
    memory_desc diff_dst;   // backward
    memory_desc diff_src;   // backward
    memory_desc statistics; // mean and variance: src's row dimensions; one descriptor for both

    jitnorm_data_type_t scale_shift_type = jitnorm_f32;      // of scale and shift, C elements each, dense
    jitnorm_data_type_t diff_scale_shift_type = jitnorm_f32; // of their gradients

    // Backward of some rows of a larger problem, of `all_rows`: diff_scale and diff_shift are the sums of the parts of
    // these rows (row_blocks.hpp), rows of C doubles. Negative: of all there is.
    dim_t first_row = 0, all_rows = -1;

    attributes attr;

    bool is_forward() const { return prop_kind == jitnorm_forward_training || prop_kind == jitnorm_forward_inference; }
    bool has(jitnorm_normalization_flags_t flag) const { return (flags & unsigned(flag)) != 0; }
    bool is_rms() const { return has(jitnorm_rms_norm); }
    bool uses_scale() const { return has(jitnorm_use_scale); }
    bool uses_shift() const { return has(jitnorm_use_shift); }
    bool adds_one_to_scale() const { return has(jitnorm_scale_plus_one); } // then it uses a scale
    // Statistics come from the caller: with global statistics, and always in backward.
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
    // What dst is made of is an output, too (docs/arithmetic.md, "Normalization").
    bool writes_unquantized() const { return attr.unquantized.ndims != 0; }
    bool reads_diff_sum() const { return wants_diff_src() && attr.residual.sum.ndims != 0; }

    // The compute type is double where a data tensor is f64, otherwise float (docs/arithmetic.md, "Notation").
    bool computes_in_double() const;
    // The type of the rows that are normalized, or that backward goes through.
    jitnorm_data_type_t row_type() const;

    dim_t compute_size() const { return computes_in_double() ? dim_t(sizeof(double)) : dim_t(sizeof(float)); }

    // Whether sizes or strides of any tensor are known at execution only: then nothing below has a meaning yet, and
    // executions bring a problem that has them.
    bool has_runtime_sizes() const;

    int row_ndims() const { return src.ndims - normalized_axes; } // dimensions that count rows, the first ones
    dim_t row_length() const; // C: elements normalized together; RUNTIME_DIM where that is known at execution only
    dim_t rows() const;       // product of the row dimensions; 0 if any is 0
    bool has_elements() const { return nelems(src) != 0; }

    bool operator==(const problem &) const = default;
};

// One line of text, in benchdnn-lite's syntax, for the verbose log.
std::string describe(const problem &p);

// Why the problem has no meaning (invalid) or is not supported by any implementation (unsupported). Called once, at
// descriptor creation.
verdict validate(const problem &p);

} // namespace jitnorm::impl::layer_norm
