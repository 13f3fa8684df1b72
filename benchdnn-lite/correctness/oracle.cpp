// SPDX-License-Identifier: Apache-2.0
// Layer normalization by its textbook formulas.
#include "oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../problem/data_type.hpp"

namespace benchdnn_lite {

namespace {

real reciprocal_deviation(const row_inputs &in) { return 1 / std::sqrt(in.stats.variance + in.epsilon); }

real largest_deviation(std::span<const double> src, const statistics &stats) {
    real largest = 0;
    for (const double x : src) largest = std::max(largest, std::abs(stats.deviation(x)));
    return largest;
}

// Half the distance between denormal numbers of the type that computes. Any operation may lose this much.
real denormal_step(double unit) { return unit == F64_ERROR ? 0x1p-1075L : 0x1p-150L; }

// How much the mean of denormal numbers may lose. It is computed in double; each part of a long row may lose something.
real denormal_mean_loss(size_t columns) {
    const size_t parts = 1 + columns / 4096;
    return 0x1p-1075L * real(parts);
}

real element(std::span<const double> values, size_t c, real missing) { return values.empty() ? missing : values[c]; }

// The sums over a row that diff_src needs, divided by C, the same sums of the magnitudes of the terms, and the largest
// |g|.
struct gradient_means {
    real g = 0, g_xhat = 0, g_magnitude = 0, g_xhat_magnitude = 0, largest_g = 0;
};

gradient_means means_of(const row_inputs &in, real rstd) {
    gradient_means m;
    const real count = real(in.src.size());
    for (size_t c = 0; c < in.src.size(); ++c) {
        const real g = in.diff_dst[c] * element(in.scale, c, 1), xhat = in.stats.deviation(in.src[c]) * rstd;
        m.g += g / count;
        m.g_xhat += g * xhat / count;
        m.g_magnitude += std::abs(g) / count;
        m.g_xhat_magnitude += std::abs(g * xhat) / count;
        m.largest_g = std::max(m.largest_g, std::abs(g));
    }
    return m;
}

} // namespace

statistics statistics_of(std::span<const double> src, bool rms) {
    if (src.empty()) return {0, 0, std::numeric_limits<real>::quiet_NaN()};
    const real count = real(src.size());
    statistics stats;
    if (!rms) {
        for (const double x : src) stats.mean += x / count;
    }
    real deviations = 0, squares = 0;
    for (const double x : src) {
        const real d = x - stats.mean;
        deviations += d;
        squares += d * d;
    }
    if (!rms) stats.rest = deviations / count;
    stats.variance = squares / count - stats.rest * stats.rest;
    return stats;
}

expectation expect_mean(std::span<const double> src, const statistics &stats, double unit) {
    return {stats.mean + stats.rest, unit * largest_deviation(src, stats)};
}

expectation expect_variance(const statistics &stats, double unit) {
    return {stats.variance, 2 * unit * stats.variance};
}

void expect_forward(const row_inputs &in, double unit, std::span<expectation> dst) {
    const real rstd = reciprocal_deviation(in), largest = largest_deviation(in.src, in.stats) * rstd;
    const real xhat_loss = 2 * denormal_step(unit) + denormal_mean_loss(in.src.size()) * rstd;
    for (size_t c = 0; c < dst.size(); ++c) {
        const real scale = element(in.scale, c, 1), shift = element(in.shift, c, 0);
        dst[c].value = scale * (in.stats.deviation(in.src[c]) * rstd) + shift;
        dst[c].tolerance = unit * (std::abs(scale) * largest + std::abs(shift) / 8) + std::abs(scale) * xhat_loss +
                           denormal_step(unit);
    }
}

void expect_diff_src(const row_inputs &in, double unit, std::span<expectation> diff_src) {
    const real rstd = reciprocal_deviation(in), largest = largest_deviation(in.src, in.stats) * rstd;
    gradient_means m = means_of(in, rstd);
    if (in.global) m.g = m.g_xhat = m.g_magnitude = m.g_xhat_magnitude = 0;
    if (in.rms) m.g = m.g_magnitude = 0;
    const real tolerance = unit * rstd * (m.largest_g + m.g_magnitude + largest * m.g_xhat_magnitude) +
                           denormal_step(unit) * (rstd * (m.g_magnitude + 4) + 1);
    for (size_t c = 0; c < diff_src.size(); ++c) {
        const real g = in.diff_dst[c] * element(in.scale, c, 1), xhat = in.stats.deviation(in.src[c]) * rstd;
        diff_src[c] = {rstd * (g - m.g - xhat * m.g_xhat), tolerance};
    }
}

void gradient_sums::merge(const gradient_sums &other) {
    rows_ += other.rows_;
    for (size_t c = 0; c < columns_.size(); ++c) {
        columns_[c].scale += other.columns_[c].scale;
        columns_[c].scale_magnitude += other.columns_[c].scale_magnitude;
        columns_[c].shift += other.columns_[c].shift;
        columns_[c].shift_magnitude += other.columns_[c].shift_magnitude;
    }
}

void gradient_sums::add_row(const row_inputs &in) {
    rows_ += 1;
    const real rstd = reciprocal_deviation(in);
    for (size_t c = 0; c < columns_.size(); ++c) {
        const real diff_dst = in.diff_dst[c], product = diff_dst * (in.stats.deviation(in.src[c]) * rstd);
        columns_[c].scale += product;
        columns_[c].scale_magnitude += std::abs(product);
        columns_[c].shift += diff_dst;
        columns_[c].shift_magnitude += std::abs(diff_dst);
    }
}

expectation gradient_sums::diff_scale(size_t c, double unit) const {
    const real magnitudes = unit * columns_[c].scale_magnitude;
    return {columns_[c].scale, magnitudes + denormal_step(unit) * (columns_[c].shift_magnitude + 2 * rows_)};
}

expectation gradient_sums::diff_shift(size_t c, double unit) const {
    return {columns_[c].shift, unit * columns_[c].shift_magnitude};
}

} // namespace benchdnn_lite
