// SPDX-License-Identifier: Apache-2.0
// row_batch: the sums and statistics of a batch's rows, in the arrays that kernels write and read, and the scalar steps
// between kernels, as loops over the rows that are compiled as vector code (JITNORM_SIMD, src/simd/simd.hpp).
#pragma once

#include "../jit/kernels/kernels.hpp"
#include "../math/moments.hpp"
#include "../norm/problem.hpp"
#include "../simd/simd.hpp"

namespace jitnorm::impl::layer_norm {

// The arguments of the kernels of a batch, with the pivots and sums that a reduction writes (pivot, s, q) and the
// constants by which the rows are normalized (hi, rstd, bias). T is the compute type.
template <typename T>
struct forward_batch : jit::forward_arguments<T> {
    dim_t first = 0;                       // the number of the first row
    alignas(64) double lo[MAX_BATCH_ROWS]; // the mean of a row is hi + lo

    void set(dim_t row, const row_statistics<T> &statistics) {
        this->hi[row] = statistics.hi;
        lo[row] = statistics.lo;
        this->variance[row] = statistics.variance;
    }

    // For rms_norm, which has no mean: the pivots and the sums become zero. A sum is computed as zero times the sum of
    // squares, so that it is NaN where that is infinite; then all that follows from it is NaN, too, as in
    // moments_of_squares().
    JITNORM_SIMD void set_no_pivots();

    // Sets the statistics from the sums of first reductions. Returns whether a first reduction is enough for every row;
    // if not, the statistics of some rows are not right yet.
    JITNORM_SIMD bool take_first_reductions(double n, double inv_n);

    // Computes rstd and bias from the statistics.
    JITNORM_SIMD void complete(double eps);
};

// The same for backward: the statistics of rows (mean, rstd), their sums over one chunk (s1, s2) and their slopes.
template <typename T>
struct backward_batch : jit::backward_arguments<T> {
    dim_t first = 0;                                                   // the number of the first row
    alignas(64) double variance[MAX_BATCH_ROWS];                       // where the statistics are variances
    alignas(64) double row_s1[MAX_BATCH_ROWS], row_s2[MAX_BATCH_ROWS]; // the sums over the rows

    JITNORM_SIMD void find_factors(bool rms); // from rstd
    JITNORM_SIMD void clear_sums();
    // Adds the sums over a chunk, one value for each row, to those over the rows.
    JITNORM_SIMD void add_chunk(const T *chunk1, const T *chunk2);
    JITNORM_SIMD void find_slopes(double inv_count);
};

// rstd = 1 / sqrt(variance + epsilon) of each row
template <typename T>
JITNORM_SIMD void find_rstd(const double *variance, dim_t count, double epsilon, T *rstd);

// The statistics of at most MAX_BATCH_ROWS rows, as the elements 0, stride, .. of a tensor of this type. Stored numbers
// are rounded to float first.
template <typename Number>
JITNORM_SIMD void load_statistics(const void *from, jitnorm_data_type_t type, dim_t stride, dim_t count, Number *to);
template <typename Number>
JITNORM_SIMD void store_statistics(const Number *from, dim_t count, void *to, jitnorm_data_type_t type, dim_t stride);

} // namespace jitnorm::impl::layer_norm
