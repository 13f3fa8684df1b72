// SPDX-License-Identifier: Apache-2.0
// kernels: generated code as function objects. Each kind of kernel has a configuration (configurations.hpp), which is
// fixed when the code is generated, and a block of arguments, which each call passes.
#pragma once

#include <type_traits>

#include "../../math/constants.hpp"
#include "../../tensor/memory_desc.hpp"
#include "../isa.hpp"
#include "../kernel_cache.hpp"

namespace jitnorm::impl::jit {

// The code for a configuration. It comes from the kernel cache, or is generated now.
code_ptr code_of(const addition_conf &conf);
code_ptr code_of(const reduction_conf &conf);
code_ptr code_of(const normalize_conf &conf);
code_ptr code_of(const backward_sums_conf &conf);
code_ptr code_of(const backward_data_conf &conf);
code_ptr code_of(const forward_rows_conf &conf);
code_ptr code_of(const backward_rows_conf &conf);
code_ptr code_of(const backward_weights_conf &conf);

template <typename Conf, typename Arguments>
class kernel {
public:
    // Throws std::system_error when executable pages are refused.
    explicit kernel(const Conf &conf) : code_(code_of(conf)), run_(code_->entry<void(const Arguments *)>()) {}
    void operator()(const Arguments &args) const { run_(&args); }
    size_t code_bytes() const { return code_->size(); }

private:
    code_ptr code_;
    void (*run_)(const Arguments *);
};

// Two kernels that differ only in their stores.
template <typename Kernel>
struct stores_of {
    Kernel ordinary, non_temporal;

    const Kernel &choose(bool stores_past_caches) const { return stores_past_caches ? non_temporal : ordinary; }
};

// The kernels make(false) and make(true), or the former alone if there are no non-temporal stores.
template <typename Make>
stores_of<std::invoke_result_t<Make, bool>> both_stores(bool has_non_temporal, Make &&make) {
    const auto ordinary = make(false);
    return {ordinary, has_non_temporal ? make(true) : ordinary};
}

// The blocks of arguments, for the compute type T. A block has one layout for both types, since generators do not
// depend on T. Arguments that the kernel's configuration does not need are not read.

// addition_kernel: computes src (* gate) + residual (+ bias), or src (* gate) * silu(residual) (+ bias), and stores it
// as rows to normalize and to the output for the sum (docs/arithmetic.md, "Residual addition").
template <typename T>
struct addition_arguments {
    const void *src, *residual;
    const void *bias = nullptr; // `count` values; used only if the kernel has a bias
    const void *gate = nullptr; // `count` values; used only if the kernel has a gate
    void *sum = nullptr;        // the output; may be src or residual; used only if the kernel writes it
    void *row;                  // the rows to normalize; may be src or residual, not sum
    dim_t src_row_stride, residual_row_stride, sum_row_stride, row_stride; // bytes
    dim_t rows;                                                            // at least 1
    dim_t count;                                                           // elements of each row, at least 1
    // As in reduction_arguments; used only by kernels that also reduce the rows: count <= CHUNK then.
    T *pivot = nullptr, *s = nullptr, *q = nullptr;
    dim_t src_prefetch = 0, residual_prefetch = 0; // as in reduction_arguments
};

template <typename T>
using addition_kernel = kernel<addition_conf, addition_arguments<T>>;

// Reductions of rows of at most so many vectors may have code of their own (reduction_conf::short_rows).
constexpr int SHORT_ROW_VECTORS = 8;
constexpr bool are_short_rows(dim_t columns, const vector_kind &kind) {
    return columns <= SHORT_ROW_VECTORS * kind.width();
}

// reduction_kernel: computes the sums for the statistics of rows, in one pass over at most CHUNK elements of each row
// (docs/arithmetic.md, "Statistics").
template <typename T>
struct reduction_arguments {
    const void *src;
    dim_t row_stride;   // bytes
    dim_t rows;         // at least 1
    dim_t count;        // elements of each row, 1 .. CHUNK
    T *pivot = nullptr; // an output of a first reduction, an input of a repeated one; not used for rms_norm
    T *s = nullptr;     // an output: sum of (x - pivot) * factor; not used for rms_norm
    T *q = nullptr;     // an output: sum of ((x - pivot) * factor)^2
    T factor = 1;       // is read by a repeated reduction only
    dim_t prefetch = 0; // in one loop: how many bytes ahead of an element src is prefetched
};

template <typename T>
using reduction_kernel = kernel<reduction_conf, reduction_arguments<T>>;

// normalize_kernel: computes dst = fma(x - hi, rstd, bias), then applies scale, shift, attribute scales and post-ops,
// for rows whose statistics are known (docs/arithmetic.md, "Normalization").
template <typename T>
struct normalize_arguments {
    const void *src;
    void *dst;                                     // may be src
    dim_t src_row_stride, dst_row_stride;          // bytes
    dim_t rows;                                    // at least 1
    dim_t count;                                   // elements of each row, at least 1
    const T *hi, *rstd, *bias;                     // one value per row; if rows are groups of one row, one value
    const void *scale = nullptr, *shift = nullptr; // `count` values each; used only if the kernel has them
    alignas(double) T src_scale = 1;               // attribute scales; used only if the kernel has them
    alignas(double) T inverse_dst_scale = 1;
    dim_t prefetch = 0;            // how many bytes ahead of an element src is prefetched while rows go one by one
    const T *parameters = nullptr; // two for each post-op: scale and zero point of sum, alpha and beta of eltwise
    // For each row one pointer for each post-op: to the row of a binary's tensor, or to the one value for the row.
    const void *const *operands = nullptr;
    void *pre_quantization = nullptr; // rows of this output; used only if the kernel writes it
    dim_t pre_quantization_row_stride = 0;
    // Used only if the kernel quantizes (docs/arithmetic.md, "Dynamic scales"): the scale of each row, an output;
    // room for one float for each row; and room for the `count` values of each row of a band.
    float *dst_scales = nullptr;
    float *factors = nullptr;
    void *values = nullptr;
    dim_t scale_row_stride = 0, shift_row_stride = 0; // bytes; of rows' own
};

template <typename T>
using normalize_kernel = kernel<normalize_conf, normalize_arguments<T>>;

// How many rows of a band are summed up at once.
constexpr int BAND_UNIT = 8;

// forward_rows_kernel: an addition_kernel for `added`, if there is a residual, a reduction_kernel for `reduced`, which
// has the sums as its src then, and a normalize_kernel for `written`. All have the same `count`.
//
// By bands it does rows from their inputs to dst: makes the rows of a residual, reduces them, does the scalar steps of
// moments.hpp and writes them. All passes have the same rows. p, s and q, hi, rstd, bias and variance are outputs, one
// for each row. A kernel for one row does the same of a single row:
// numbers of rows and strides have no meaning for it.
//
// In one loop it writes rows of one batch beside rows of another one that it reduces, row beside row: beyond the caches
// the reads of one then overlap the stores of the other. Either may have no rows, but not both. Nothing that it writes
// may overlap other rows that it reads for the reduction. It prefetches the inputs of the reduction instead of the rows
// that normalize_arguments names, and normalizes row by row. It does not read the members after `added`.
template <typename T>
struct forward_rows_arguments {
    reduction_arguments<T> reduced;
    normalize_arguments<T> written;
    addition_arguments<T> added;
    double inverse_count, epsilon; // 1 / count
    double *variance;              // before it is rounded
    dim_t band_rows;               // at most BAND_UNIT, or a multiple of it; not read by a kernel for one row
    // Is called for the rows of a band if the first reduction is not enough for one of them: finds the four numbers of
    // each of `rows` rows from `first` on from its p, s and q. `context` is for this function.
    void (*refine)(const forward_rows_arguments &call, dim_t first, dim_t rows);
    const void *context;
};

template <typename T>
using forward_rows_kernel = kernel<forward_rows_conf, forward_rows_arguments<T>>;

// backward_sums_kernel: computes all sums of backward in one pass over at most CHUNK elements of each row: the two
// sums of each row, and the column sums for the gradients of scale and shift (docs/arithmetic.md, "Backward").
template <typename T>
struct backward_sums_arguments {
    const void *src, *diff_dst;
    dim_t src_row_stride, diff_dst_row_stride; // bytes
    dim_t rows;                                // at least 1
    dim_t count;                               // elements of each row, 1 .. CHUNK
    const T *mean = nullptr;                   // one value per row
    const T *factor = nullptr;                 // one value per row: rstd, negative if the kernel is centered
    const void *scale = nullptr;               // `count` values
    // `count` sums each, to which the rows are added in order; or, if each row has its own, the gradients themselves.
    void *diff_scale = nullptr, *diff_shift = nullptr;
    dim_t scale_row_stride = 0, diff_scale_row_stride = 0, diff_shift_row_stride = 0; // bytes; of rows' own
    T *s1 = nullptr, *s2 = nullptr;                // one sum per row: of g, and of g * xhat
    dim_t src_prefetch = 0, diff_dst_prefetch = 0; // as in reduction_arguments
};

template <typename T>
using backward_sums_kernel = kernel<backward_sums_conf, backward_sums_arguments<T>>;

// backward_data_kernel: computes diff_src = rstd * fma(mean - x, k, g - m1), + diff_sum, for rows whose sums are known
// (docs/arithmetic.md, "Backward").
template <typename T>
struct backward_data_arguments {
    const void *src, *diff_dst;
    const void *diff_sum = nullptr;
    void *diff_src;                                                 // may be diff_dst or diff_sum
    dim_t src_row_stride, diff_dst_row_stride, diff_src_row_stride; // bytes
    dim_t diff_sum_row_stride = 0;
    dim_t rows;                                    // at least 1
    dim_t count;                                   // elements of each row, at least 1
    const T *mean = nullptr, *rstd;                // one value per row
    T *m1 = nullptr, *k = nullptr;                 // the same
    const void *scale = nullptr;                   // `count` values
    dim_t scale_row_stride = 0;                    // bytes; 0: all rows have the same scale
    dim_t src_prefetch = 0, diff_dst_prefetch = 0; // in bands: how many bytes ahead they are prefetched
};

template <typename T>
using backward_data_kernel = kernel<backward_data_conf, backward_data_arguments<T>>;

// backward_rows_kernel: the same for backward, of a backward_sums_kernel and a backward_data_kernel. By bands it does
// the scalar steps of moments.hpp between them; s1, s2, m1 and k are outputs then.
template <typename T>
struct backward_rows_arguments {
    backward_sums_arguments<T> reduced;
    backward_data_arguments<T> written; // the same `count`
    double inverse_count;               // 1 / count; this and the next one are read by bands only
    dim_t band_rows;                    // at least 1
};

template <typename T>
using backward_rows_kernel = kernel<backward_rows_conf, backward_rows_arguments<T>>;

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

template <template <typename> typename Arguments>
constexpr bool HAS_ONE_LAYOUT = sizeof(Arguments<float>) == sizeof(Arguments<double>);
static_assert(HAS_ONE_LAYOUT<addition_arguments> && HAS_ONE_LAYOUT<reduction_arguments> &&
              HAS_ONE_LAYOUT<normalize_arguments> && HAS_ONE_LAYOUT<backward_sums_arguments> &&
              HAS_ONE_LAYOUT<backward_data_arguments> && HAS_ONE_LAYOUT<forward_rows_arguments> &&
              HAS_ONE_LAYOUT<backward_rows_arguments>);

} // namespace jitnorm::impl::jit
