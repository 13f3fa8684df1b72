// SPDX-License-Identifier: Apache-2.0
// moments: the scalar steps of a row: from the sums over a chunk to the mean and the variance (docs/arithmetic.md,
// "Statistics"), and from the sums of backward to the slopes of diff_src. The reference and the C++ between kernels
// call these functions; kernels for bands of rows have the same steps as generated code (forward_kernel.cpp
// and backward_kernel.cpp of src/jit/kernels/), so that all have equal bits.
//
// With a pivot p near the data, S = sum (x - p) and Q = sum (x - p)^2 over n elements give
//   mean = p + S/n, M2 = sum (x - mean)^2 = Q - S^2/n        (shifted data: Chan, Golub, LeVeque 1983)
// in one pass. Sums are in the compute type T (float, or double where a tensor is f64); every step here is in double.
// The mean is kept as the pair hi + lo, so that x - mean is exact enough even where the mean is a million times the
// deviation.
#pragma once

#include <cmath>
#include <type_traits>

#include "constants.hpp"
#include "number.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T>
struct sums { // of d = (x - pivot) * k and of d^2
    T s, q;
};

// A mean, value + rest, before it is rounded to T. For float data `value` alone holds all 24 + 24 bits of hi + lo.
template <typename T>
struct wide_mean {
    double value;
    double rest; // always 0 for float data

    // For double data `rest` takes up the rounding error of the addition.
    wide_mean plus(double addend) const {
        if constexpr (std::is_same_v<T, float>) {
            return {value + addend, 0};
        } else {
            const auto [sum, lost] = math::two_sum(value, rest + addend);
            return {sum, lost};
        }
    }
    // The mean minus `rounded`, which is the mean rounded to T.
    double beyond(T rounded) const {
        if constexpr (std::is_same_v<T, float>)
            return value - double(rounded);
        else
            return (value - double(rounded)) + rest;
    }
    double minus(const wide_mean &other) const {
        if constexpr (std::is_same_v<T, float>)
            return value - other.value;
        else
            return (value - other.value) + (rest - other.rest);
    }
};

template <typename T>
struct moments { // of `count` elements
    double count;
    wide_mean<T> mean;
    double m2; // sum of squared deviations from the mean
};

// The numbers of moments, in the order of their members, are those of JITNORM_ARG_ROW_SUMS for a row or a chunk.
constexpr dim_t MOMENTS_NUMBERS = 4;
static_assert(sizeof(moments<float>) == MOMENTS_NUMBERS * sizeof(double) &&
              sizeof(moments<double>) == sizeof(moments<float>));

// mean = hi + lo
template <typename T>
struct row_statistics {
    T hi; // the mean rounded to T
    double lo;
    double variance;
};

// ---- one chunk

// S^2/n: the excess of Q over M2, because the pivot is not the mean.
template <typename T>
double pivot_excess(const sums<T> &sum, double inv_n) {
    return double(sum.s) * (double(sum.s) * inv_n);
}

template <typename T>
bool pivot_is_poor(const sums<T> &sum, double inv_n) {
    const double excess = pivot_excess(sum, inv_n);
    return excess > PIVOT_LIMIT * (double(sum.q) - excess);
}

// Whether no square underflowed or overflowed; false for NaN. For double data always true: it is never rescaled.
template <typename T>
bool squares_in_range(T q) {
    if constexpr (std::is_same_v<T, float>)
        return q >= SMALLEST_SQUARES && q <= LARGEST_SQUARES;
    else
        return true;
}

template <typename T>
T rescale_factor(T q) {
    if (squares_in_range(q)) return 1;
    return q < SMALLEST_SQUARES ? T(RESCALE_UP) : T(RESCALE_DOWN);
}

// The moments of n elements, from their sums with the pivot p and the factor k; inv_n = 1 / n and inv_k = 1 / k.
template <typename T>
moments<T> moments_of(T p, const sums<T> &sum, double n, double inv_n, double inv_k) {
    const double m2 = double(sum.q) - pivot_excess(sum, inv_n);
    const double spread = m2 < 0 ? 0 : m2;
    const double shift = (double(sum.s) * inv_n) * inv_k;
    return {n, wide_mean<T>{double(p), 0}.plus(shift), (spread * inv_k) * inv_k};
}

// The same after a first reduction (the factor is 1) that is enough: its pivot is not poor, so M2 is not negative.
template <typename T>
moments<T> moments_of_first_reduction(T p, const sums<T> &sum, double n, double inv_n) {
    return {n, wide_mean<T>{double(p), 0}.plus(double(sum.s) * inv_n), double(sum.q) - pivot_excess(sum, inv_n)};
}

// The moments of a chunk of n elements, from its sums with the pivot p and the factor k. If the pivot is poor, calls
// reduce_again(pivot, k) with the mean as the pivot; it returns the sums of d = (x - pivot) * k.
template <typename T, typename Reduce>
moments<T> refine_pivot(T p, T k, sums<T> sum, dim_t n, Reduce &&reduce_again) {
    const double inv_n = 1.0 / double(n), inv_k = 1.0 / double(k); // the latter is exact
    if (pivot_is_poor(sum, inv_n)) {
        p = T(double(p) + (double(sum.s) * inv_n) * inv_k);
        sum = reduce_again(p, k);
    }
    return moments_of(p, sum, double(n), inv_n, inv_k);
}

// The same for rms_norm, whose mean is zero: m2 is the sum of squares. An infinity makes m2 NaN and so the row.
template <typename T>
moments<T> moments_of_squares(T k, T squares, dim_t n) {
    const double inv_k = 1.0 / double(k), q = double(squares);
    return {double(n), {}, ((q - q * 0.0) * inv_k) * inv_k};
}

// The moments of a chunk of n elements from its first reduction, with the pivot p and the factor 1. Calls
// reduce_again() also if squares have left the range of T, and for NaN and infinity, whose result this does not change.
// A caller that has done this already says with which factor k.
template <typename T, typename Reduce>
moments<T> refine(T p, sums<T> sum, dim_t n, bool rms, Reduce &&reduce_again, T k = 1) {
    if (k == T(1)) {
        k = rescale_factor(sum.q);
        if (k != T(1)) sum = reduce_again(p, k);
    }
    return rms ? moments_of_squares(k, sum.q, n) : refine_pivot(p, k, sum, n, reduce_again);
}

// ---- a row

// The moments of the union of two disjoint sets of elements (Chan, Golub, LeVeque).
template <typename T>
moments<T> merge(const moments<T> &a, const moments<T> &b) {
    const double count = a.count + b.count, weight = b.count / count;
    const double delta = b.mean.minus(a.mean);
    return {count, a.mean.plus(delta * weight), a.m2 + (b.m2 + (delta * delta) * (a.count * weight))};
}

template <typename T>
row_statistics<T> finish(const moments<T> &row, double inv_count) {
    const T hi = T(row.mean.value);
    return {hi, row.mean.beyond(hi), row.m2 * inv_count};
}

// The same of moments that a caller may have given. With rms_norm the mean is zero by definition, whatever they say.
template <typename T>
row_statistics<T> finish_given(moments<T> row, bool rms, double inv_count) {
    if (rms) row.mean = {};
    return finish(row, inv_count);
}

// 1 / sqrt(variance + epsilon), rounded once to T
template <typename T>
T reciprocal_deviation(double variance, double epsilon) {
    return T(1.0 / std::sqrt(variance + epsilon));
}

// The constants of a row by which its elements are normalized: xhat = fma(x - hi, rstd, bias).
template <typename T>
struct normalizer {
    T hi, rstd, bias = 0; // no bias where mean and 1 / sqrt(variance + epsilon) are given
};

// The bias for the mean hi + lo. It is never -0, so that xhat is +0 where x equals the mean.
template <typename T>
T bias_of(double lo, T rstd) {
    const double shift = lo == 0 ? 0 : lo * double(rstd); // rstd may be infinite
    return T(0) - T(shift);
}

template <typename T>
normalizer<T> make_normalizer(const row_statistics<T> &row, double epsilon) {
    const T rstd = reciprocal_deviation<T>(row.variance, epsilon);
    return {row.hi, rstd, bias_of(row.lo, rstd)};
}

// ---- backward

// The constants of a row in diff_src = rstd * fma(mean - x, k, g - m1).
template <typename T>
struct row_slopes {
    T m1, k;
};

// s1 and s2: the row's sums of g and of g * xhat.
template <typename T>
row_slopes<T> slopes_of(double s1, double s2, double inv_count, T rstd) {
    return {T(s1 * inv_count), T((s2 * inv_count) * double(rstd))};
}

} // namespace jitnorm::impl::layer_norm
