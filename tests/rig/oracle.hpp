// SPDX-License-Identifier: Apache-2.0
// The tests' oracle: layer normalization by its textbook formulas, in double (or long double, to judge f64). It
// shares no code with src/. Tensors are dense, row major, `rows` by `columns`, and already widened to Real.
//
//   mean = sum x / C        variance = sum (x - mean)^2 / C        rstd = 1 / sqrt(variance + epsilon)
//   y = scale (x - mean) rstd + shift
//   diff_src = rstd (g - sum g / C - xhat sum g xhat / C),  g = diff_dst scale,  xhat = (x - mean) rstd
//   diff_scale = sum over rows diff_dst xhat                diff_shift = sum over rows diff_dst
// With rms the mean is zero and the term sum g / C is absent; with global statistics both sums are
// absent.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace jitnorm::tests {

template <typename Real>
struct oracle_problem {
    size_t rows = 0, columns = 0;
    Real epsilon = 0;
    bool rms = false;
    bool global_statistics = false;
    std::vector<Real> src;
    std::vector<Real> scale, shift;   // empty: none
    std::vector<Real> mean, variance; // inputs of backward, and of forward with global statistics
    std::vector<Real> diff_dst;       // backward
    std::vector<Real> diff_sum;       // backward, added to diff_src; empty: nothing is
};

template <typename Real>
struct oracle_forward_result {
    std::vector<Real> dst, mean, variance;
};

template <typename Real>
struct oracle_backward_result {
    std::vector<Real> diff_src, diff_scale, diff_shift;
};

template <typename Real>
Real oracle_mean(const Real *row, size_t columns) {
    Real sum = 0;
    for (size_t c = 0; c < columns; ++c) sum += row[c];
    return sum / Real(columns);
}

// What the mean lost when it was rounded to Real. It matters if the mean is far larger than the deviation.
template <typename Real>
Real oracle_mean_rest(const Real *row, size_t columns, Real mean) {
    Real deviations = 0;
    for (size_t c = 0; c < columns; ++c) deviations += row[c] - mean;
    return deviations / Real(columns);
}

// The variance around mean + rest.
template <typename Real>
Real oracle_variance(const Real *row, size_t columns, Real mean, Real rest) {
    Real squares = 0;
    for (size_t c = 0; c < columns; ++c) squares += (row[c] - mean - rest) * (row[c] - mean - rest);
    return squares / Real(columns);
}

template <typename Real>
oracle_forward_result<Real> oracle_forward(const oracle_problem<Real> &p) {
    oracle_forward_result<Real> result{std::vector<Real>(p.rows * p.columns), std::vector<Real>(p.rows),
                                       std::vector<Real>(p.rows)};
    for (size_t n = 0; n < p.rows; ++n) {
        const Real *x = p.src.data() + n * p.columns;
        Real mean = 0, rest = 0;
        if (p.global_statistics && !p.rms) mean = p.mean[n];
        if (!p.global_statistics && !p.rms) {
            mean = oracle_mean(x, p.columns);
            rest = oracle_mean_rest(x, p.columns, mean);
        }
        const Real variance = p.global_statistics ? p.variance[n] : oracle_variance(x, p.columns, mean, rest);
        const Real rstd = 1 / std::sqrt(variance + p.epsilon);
        for (size_t c = 0; c < p.columns; ++c) {
            const Real xhat = (x[c] - mean - rest) * rstd;
            result.dst[n * p.columns + c] =
                xhat * (p.scale.empty() ? Real(1) : p.scale[c]) + (p.shift.empty() ? Real(0) : p.shift[c]);
        }
        result.mean[n] = mean;
        result.variance[n] = variance;
    }
    return result;
}

template <typename Real>
oracle_backward_result<Real> oracle_backward(const oracle_problem<Real> &p) {
    oracle_backward_result<Real> result{std::vector<Real>(p.rows * p.columns), std::vector<Real>(p.columns),
                                        std::vector<Real>(p.columns)};
    std::vector<Real> g(p.columns), xhat(p.columns);
    for (size_t n = 0; n < p.rows; ++n) {
        const Real mean = p.rms ? Real(0) : p.mean[n];
        const Real rstd = 1 / std::sqrt(p.variance[n] + p.epsilon);
        Real sum_g = 0, sum_g_xhat = 0;
        for (size_t c = 0; c < p.columns; ++c) {
            const Real diff_dst = p.diff_dst[n * p.columns + c];
            g[c] = diff_dst * (p.scale.empty() ? Real(1) : p.scale[c]);
            xhat[c] = (p.src[n * p.columns + c] - mean) * rstd;
            sum_g += g[c];
            sum_g_xhat += g[c] * xhat[c];
            result.diff_scale[c] += diff_dst * xhat[c];
            result.diff_shift[c] += diff_dst;
        }
        if (p.global_statistics) sum_g = sum_g_xhat = 0;
        if (p.rms) sum_g = 0;
        for (size_t c = 0; c < p.columns; ++c)
            result.diff_src[n * p.columns + c] =
                rstd * (g[c] - sum_g / Real(p.columns) - xhat[c] * sum_g_xhat / Real(p.columns)) +
                (p.diff_sum.empty() ? Real(0) : p.diff_sum[n * p.columns + c]);
    }
    return result;
}

// max |got - expected| / max |expected| over one row: the error that the documented bounds speak of. Infinite where
// one side is NaN or infinite and the other is not equal to it.
template <typename Real, typename Got>
Real normalized_error(const Got *got, const Real *expected, size_t count) {
    Real worst = 0, largest = 0;
    for (size_t i = 0; i < count; ++i) {
        if (std::isnan(expected[i]) && std::isnan(Real(got[i]))) continue;
        if (Real(got[i]) == expected[i]) {
            if (std::isfinite(expected[i])) largest = std::fmax(largest, std::fabs(expected[i]));
            continue;
        }
        const Real error = std::fabs(Real(got[i]) - expected[i]);
        if (!std::isfinite(error)) return Real(INFINITY);
        worst = std::fmax(worst, error);
        largest = std::fmax(largest, std::fabs(expected[i]));
    }
    return worst == 0 ? Real(0) : worst / largest;
}

} // namespace jitnorm::tests
