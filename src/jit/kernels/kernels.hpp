// SPDX-License-Identifier: Apache-2.0
// kernels: generated code as function objects. Each kind of kernel has a configuration (configurations.hpp), which is
// fixed when the code is generated, and a block of arguments, which each call passes.
#pragma once

#include <type_traits>

#include "../../math/constants.hpp"
#include "../../norm/plan.hpp"
#include "../../tensor/memory_desc.hpp"
#include "../isa.hpp"
#include "../kernel_cache.hpp"

namespace jitnorm::impl::jit {

// The code for a configuration. It comes from the kernel cache, or is generated now.
code_ptr code_of(const forward_conf &conf);
code_ptr code_of(const backward_conf &conf);
code_ptr code_of(const backward_weights_conf &conf);

template <typename Conf, typename Arguments>
class kernel {
public:
    // Throws std::system_error when executable pages are refused.
    explicit kernel(const Conf &conf) : code_(code_of(conf)), run_(code_->entry<void(Arguments *)>()) {}
    void operator()(Arguments &args) const { run_(&args); }
    void operator()(Arguments &&args) const { run_(&args); }
    size_t code_bytes() const { return code_->size(); }

private:
    code_ptr code_;
    void (*run_)(Arguments *);
};

// Two kernels that differ only in their stores.
template <typename Kernel>
struct stores_of {
    Kernel ordinary, non_temporal;

    const Kernel &choose(bool is_non_temporal) const { return is_non_temporal ? non_temporal : ordinary; }
};

// The kernels make(false) and make(true), or the former alone if there are no non-temporal stores.
template <typename Make>
stores_of<std::invoke_result_t<Make, bool>> both_stores(bool has_non_temporal, Make &&make) {
    const auto ordinary = make(false);
    return {ordinary, has_non_temporal ? make(true) : ordinary};
}

// The blocks of arguments. There is one for each direction, for the compute type T, with one layout for both types,
// since generators do not depend on T. A kernel reads the members that its passes and its configuration need. The
// others need no values. The arrays have one number for each row, up to MAX_BATCH_ROWS.

using layer_norm::MAX_BATCH_ROWS;
#define JITNORM_ROWS_ALIGNED alignas(MAX_BATCH_ROWS * sizeof(double)) // so that each array takes as much room

// The arguments of the kernels of forward.
template <typename T>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): arrays of both types take as much room
struct forward_arguments {
    dim_t rows;     // 1 to MAX_BATCH_ROWS; has no meaning for a kernel for one row, nor have strides
    dim_t count;    // elements of each row that are written, at least 1
    dim_t chunk;    // of each row that are added or reduced, from x on, at least 1; if they are reduced, at most CHUNK
    strip x;        // the rows to normalize: src, or the sums with a residual, which an addition stores here
    dim_t prefetch; // how many bytes ahead of an element x is prefetched while it is written

    // ---- an addition: x = src (* gate) + residual (+ bias), or src (* gate) * silu(residual) (+ bias)
    // (docs/arithmetic.md, "Residual addition"). x may be src or residual.
    strip src, residual;
    strip sum;                   // the output for the sum; may be src or residual, not x
    const void *sum_bias, *gate; // `chunk` values each

    // ---- a repeated reduction
    alignas(double) T factor;

    // ---- the scalar steps of bands and of one row
    double inverse_count, epsilon; // inverse_count: 1 / the length of a row
    dim_t band_rows;               // at most BAND_UNIT, or a multiple of it
    // Is called for `rows` rows of a band, from `first` on, if the first reduction is not enough for one of them: finds
    // hi, rstd, bias and variance of each from its pivot, s and q. `context` is for this function and the next one.
    void (*refine)(forward_arguments &call, dim_t first, dim_t rows);
    const void *context;
    // null: each row is one chunk. If not, it is called for the rows of a band after each chunk of them has been
    // reduced, and adds the chunk to their moments. As long as there are more chunks, it moves chunk, x and the tensors
    // of an addition to the next one and returns true. After the last one it moves them back to the first one, finds
    // hi, rstd, bias and variance of the rows and returns false.
    bool (*next_chunk)(forward_arguments &call, dim_t first, dim_t rows);
    void *moments; // for next_chunk(): of the chunks so far of each row
    dim_t rest;    // for next_chunk(): elements of each row after the chunk

    // ---- a normalization: dst = fma(x - hi, rstd, bias), then scale, shift, attribute scales and post-ops
    // (docs/arithmetic.md, "Normalization")
    strip scale, shift;          // `count` values each; the strides are those of rows' own
    strip dst;                   // may be x
    strip pre_quantization;      // the output
    alignas(double) T src_scale; // attribute scales
    alignas(double) T inverse_dst_scale;
    const T *parameters; // two for each post-op: scale and zero point of sum, alpha and beta of eltwise
    // For each row one pointer for each post-op: to the row of a binary's tensor, or to the one value for the row.
    const void *const *operands;
    void *values; // room for the `count` values of each row of a band, where scales of dst are found

    // ---- the numbers of rows
    // The sums of a reduction (docs/arithmetic.md, "Statistics"), outputs: s of x - pivot, q of its squares; if the
    // reduction is repeated, of (x - pivot) * factor and its squares. The pivot is an output of a first reduction and
    // an input of a repeated one. Reductions for rms_norm set q alone.
    JITNORM_ROWS_ALIGNED T pivot[MAX_BATCH_ROWS];
    JITNORM_ROWS_ALIGNED T s[MAX_BATCH_ROWS];
    JITNORM_ROWS_ALIGNED T q[MAX_BATCH_ROWS];
    // Outputs of the scalar steps, inputs of a normalization. If the rows of a normalization are groups of one row, it
    // reads the first number of each array.
    JITNORM_ROWS_ALIGNED T hi[MAX_BATCH_ROWS];
    JITNORM_ROWS_ALIGNED T rstd[MAX_BATCH_ROWS];
    JITNORM_ROWS_ALIGNED T bias[MAX_BATCH_ROWS];
    JITNORM_ROWS_ALIGNED double variance[MAX_BATCH_ROWS]; // an output of the scalar steps; before it is rounded
    // Where scales of dst are found (docs/arithmetic.md, "Dynamic scales"): the scales, an output, and their factors,
    // which the kernel keeps here.
    JITNORM_ROWS_ALIGNED float dst_scales[MAX_BATCH_ROWS];
    JITNORM_ROWS_ALIGNED float factors[MAX_BATCH_ROWS];
};

// Reductions of rows of at most so many vectors may have code of their own (reduction_conf::short_rows).
constexpr int SHORT_ROW_VECTORS = 8;
constexpr bool are_short_rows(dim_t columns, const vector_kind &kind) {
    return columns <= SHORT_ROW_VECTORS * kind.width();
}

// forward_kernel: an addition, a reduction or a normalization of rows by itself (pass_order::one_pass). Or it does rows
// from their inputs to dst, by bands or a single row: makes the sums with a residual, if there is one, reduces them,
// does the scalar steps of moments.hpp and writes the rows.
template <typename T>
using forward_kernel = kernel<forward_conf, forward_arguments<T>>;

// The arguments of the kernels of backward (docs/arithmetic.md, "Backward").
template <typename T>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): arrays of both types take as much room
struct backward_arguments {
    dim_t rows;  // 1 to MAX_BATCH_ROWS
    dim_t count; // elements of each row, at least 1; where rows are reduced, at most CHUNK
    strip src, diff_dst;
    strip scale; // `count` values; the stride is 0 if all rows have the same scale

    // ---- the sums
    // `count` sums each, to which the rows are added in order; or, if each row has its own, the gradients themselves.
    strip diff_scale, diff_shift; // the strides are those of rows' own

    // ---- the slopes, in bands
    double inverse_count; // 1 / count
    dim_t band_rows;      // at least 1

    // ---- diff_src = rstd * fma(mean - src, k, g - m1), + diff_sum
    strip diff_sum;
    strip diff_src; // may be diff_dst or diff_sum

    // ---- the numbers of rows
    JITNORM_ROWS_ALIGNED T mean[MAX_BATCH_ROWS];
    JITNORM_ROWS_ALIGNED T rstd[MAX_BATCH_ROWS];
    JITNORM_ROWS_ALIGNED T factor[MAX_BATCH_ROWS]; // of the sums: rstd, negative if the kernel is centered
    JITNORM_ROWS_ALIGNED T s1[MAX_BATCH_ROWS];     // outputs of the sums: those of g and of g * xhat over the row
    JITNORM_ROWS_ALIGNED T s2[MAX_BATCH_ROWS];
    JITNORM_ROWS_ALIGNED T m1[MAX_BATCH_ROWS]; // the slopes; in bands they are outputs
    JITNORM_ROWS_ALIGNED T k[MAX_BATCH_ROWS];
};

// backward_kernel: computes all sums of rows in one pass, the two of each row and the column sums for the gradients of
// scale and shift; or diff_src of rows whose slopes are known. Or it does both, by bands, and the scalar steps of
// moments.hpp between them.
template <typename T>
using backward_kernel = kernel<backward_conf, backward_arguments<T>>;

// backward_weights_kernel: adds up arrays of sums in double, in order, and stores the result as sums in double or as a
// gradient (docs/arithmetic.md, "Backward").
struct backward_weights_arguments {
    const double *start; // the array to which the others are added; null: zeros
    const void *sums;    // the first array that is added; the others follow
    dim_t sums_stride;   // bytes from one array to the next
    dim_t number;        // of arrays that are added, may be 0
    dim_t count;         // elements of each array, at least 1
    void *to;            // the result; may be start
};

using backward_weights_kernel = kernel<backward_weights_conf, backward_weights_arguments>;

static_assert(sizeof(forward_arguments<float>) == sizeof(forward_arguments<double>) &&
              sizeof(backward_arguments<float>) == sizeof(backward_arguments<double>));

} // namespace jitnorm::impl::jit
