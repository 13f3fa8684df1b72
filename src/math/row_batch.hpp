// SPDX-License-Identifier: Apache-2.0
// row_batch: the numbers of a batch's rows, in the arrays that kernels write and read, and the scalar steps between
// kernels, as loops over the rows that the compiler turns into vector code. Executors that use this run only on
// processors that JITNORM_SIMD is for.
#pragma once

#include "../base/bytes.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"
#include "../simd/simd.hpp"
#include "moments.hpp"
#include "row_sums.hpp"

namespace jitnorm::impl::layer_norm {

// Computes reciprocal_deviation() of each variance by multiplications only. Returns false, with `rstd` undefined, if
// there are few rows, for which a root and a division take less time than the steps of the multiplications; or if a
// root is not known, which is rare: for tiny and huge variances and a few others.
JITNORM_SIMD inline bool find_deviations_by_products(const double *variance, dim_t count, double epsilon, float *rstd) {
    if (count < 4) return false;
    int32_t unknown = 0;
    for (dim_t r = 0; r < count; ++r) {
        const rounded_root root = reciprocal_root(variance[r] + epsilon);
        unknown |= is_unknown(root);
        rstd[r] = root.below;
    }
    return unknown == 0;
}

// One value per row in each array; T is the compute type.
template <typename T>
struct forward_batch {
    using values = T[MAX_BATCH_ROWS];
    using wide_values = double[MAX_BATCH_ROWS];

    dim_t first = 0, rows = 0;         // the number of the first row, and how many there are
    alignas(64) values p, s, q;        // the pivots and sums that a reduction writes
    alignas(64) values hi, rstd, bias; // the constants by which the rows are normalized
    alignas(64) wide_values lo, wide;  // lo: the mean is hi + lo; wide: the variance before it is rounded

    void set(dim_t row, const row_statistics<T> &statistics) {
        hi[row] = statistics.hi;
        lo[row] = statistics.lo;
        wide[row] = statistics.variance;
    }

    // For rms_norm, which has no mean: the pivots and the sums become zero. A sum is computed as zero times the sum of
    // squares, so that it is NaN where that is infinite; then all that follows from it is NaN, too, as in
    // moments_of_squares().
    JITNORM_SIMD void set_no_pivots() {
        for (dim_t r = 0; r < rows; ++r) {
            p[r] = 0;
            s[r] = q[r] * T(0);
        }
    }

    // Sets the statistics from the sums of first reductions. Returns whether a first reduction is enough for every row;
    // if not, the statistics of some rows are not right yet. (Results of comparisons of floats and of doubles are
    // collected in different variables, so that the vector code need not convert one to the other.)
    JITNORM_SIMD bool take_first_reductions(double n, double inv_n) {
        int32_t out_of_range = 0;
        int64_t poor = 0;
        for (dim_t r = 0; r < rows; ++r) {
            const sums<T> sum = {s[r], q[r]};
            out_of_range |= int32_t(!squares_in_range(sum.q));
            poor |= int64_t(pivot_is_poor(sum, inv_n));
            set(r, finish(moments_of_first_reduction(p[r], sum, n, inv_n), inv_n));
        }
        return out_of_range == 0 && poor == 0;
    }

    // Computes rstd and bias from the statistics.
    void complete(double epsilon) {
        if constexpr (std::is_same_v<T, float>)
            if (find_normalizers_by_products(epsilon)) return;
        find_normalizers(epsilon);
    }

    // Copies to an array of floats, which may have any alignment.
    JITNORM_SIMD void copy_means(void *to) const { copy(hi, to, rows); }
    JITNORM_SIMD void copy_deviations(statistics_form form, void *to) const {
        form == statistics_form::inverse_deviation ? copy(rstd, to, rows) : copy(wide, to, rows);
    }

    // Sets the row's constants from a given mean and a given 1 / sqrt(variance + epsilon).
    void set_given(dim_t row, T given_mean, T given_rstd) {
        const auto n = normalizer_of<T>(given_mean, given_rstd);
        hi[row] = n.hi;
        rstd[row] = n.rstd;
        bias[row] = n.bias;
    }

private:
    // `count` is passed by value, because the compiler cannot know that no store changes the member `rows`.
    template <typename Number>
    JITNORM_SIMD static void copy(const Number *from, void *to, dim_t count) {
        for (dim_t i = 0; i < count; ++i) store(float(from[i]), to, i);
    }

    // Does the same as find_normalizers(), unless it returns false.
    JITNORM_SIMD bool find_normalizers_by_products(double epsilon) {
        if (!find_deviations_by_products(wide, rows, epsilon, rstd)) return false;
        for (dim_t r = 0; r < rows; ++r) bias[r] = bias_of_shift<T>(lo[r] * double(rstd[r]));
        return true;
    }

    JITNORM_SIMD void find_normalizers(double epsilon) {
        for (dim_t r = 0; r < rows; ++r) {
            const auto n = make_normalizer<T>({hi[r], lo[r], wide[r]}, epsilon);
            rstd[r] = n.rstd;
            bias[r] = n.bias;
        }
    }
};

template <typename T>
struct backward_batch {
    using values = T[MAX_BATCH_ROWS];
    using wide_values = double[MAX_BATCH_ROWS];

    dim_t first = 0, rows = 0;             // the number of the first row, and how many there are
    alignas(64) wide_values variance;      // where the statistics are variances
    alignas(64) values mean, rstd;         // 1 / sqrt(variance + epsilon)
    alignas(64) values factor;             // backward_sums_arguments::factor
    alignas(64) values chunk_s1, chunk_s2; // the sums over one chunk
    alignas(64) wide_values s1, s2;        // the sums over the rows
    alignas(64) values m1, k;              // row_slopes

    // Computes the deviations from the variances of the rows.
    void find_deviations(double epsilon) {
        if constexpr (std::is_same_v<T, float>)
            if (find_deviations_by_products(variance, rows, epsilon, rstd)) return;
        for (dim_t r = 0; r < rows; ++r) rstd[r] = reciprocal_deviation<T>(variance[r], epsilon);
    }
    // From the means and the deviations.
    JITNORM_SIMD void find_factors(bool rms) {
        for (dim_t r = 0; r < rows; ++r) factor[r] = rms ? rstd[r] : -rstd[r];
    }
    // From the rows of another batch, the row `begin` and those behind it.
    void copy_statistics(const backward_batch &from, dim_t begin) {
        for (dim_t r = 0; r < rows; ++r) mean[r] = from.mean[begin + r];
        for (dim_t r = 0; r < rows; ++r) rstd[r] = from.rstd[begin + r];
        for (dim_t r = 0; r < rows; ++r) factor[r] = from.factor[begin + r];
    }
    void clear_sums() {
        for (dim_t r = 0; r < rows; ++r) s1[r] = s2[r] = 0;
    }
    // Adds the sums over a chunk, one value for each row, to those over the rows.
    JITNORM_SIMD void add_chunk(const T *chunk1, const T *chunk2) {
        for (dim_t r = 0; r < rows; ++r) s1[r] += double(chunk1[r]);
        for (dim_t r = 0; r < rows; ++r) s2[r] += double(chunk2[r]);
    }
    JITNORM_SIMD void find_slopes(double inv_count) {
        for (dim_t r = 0; r < rows; ++r) {
            const row_slopes<T> slopes = slopes_of<T>({s1[r], s2[r]}, inv_count, rstd[r]);
            m1[r] = slopes.m1;
            k[r] = slopes.k;
        }
    }
};

} // namespace jitnorm::impl::layer_norm
