// SPDX-License-Identifier: Apache-2.0
// Layer normalization by its textbook formulas, scales and post-operations.
#include "oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../error.hpp"
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

// The sums over a row that diff_src needs, divided by C, the same sums of the magnitudes of the terms, and the largest
// |g|.
struct gradient_means {
    real g = 0, g_xhat = 0, g_magnitude = 0, g_xhat_magnitude = 0, largest_g = 0;
};

gradient_means means_of(const row_inputs &in, real rstd) {
    gradient_means m;
    const real count = real(in.src.size());
    for (size_t c = 0; c < in.src.size(); ++c) {
        const real g = in.diff_dst[c] * in.scale_of(c), xhat = in.stats.deviation(in.src[c]) * rstd;
        m.g += g / count;
        m.g_xhat += g * xhat / count;
        m.g_magnitude += std::abs(g) / count;
        m.g_xhat_magnitude += std::abs(g * xhat) / count;
        m.largest_g = std::max(m.largest_g, std::abs(g));
    }
    return m;
}

// The part of a unit of error that is allowed for an operation that rounds its result once. An approximated function is
// allowed the whole unit.
constexpr real ONE_ROUNDING = 1.0L / 8;
constexpr real NOT_A_NUMBER = std::numeric_limits<real>::quiet_NaN();

real distance(real a, real b) {
    if (std::isnan(a) && std::isnan(b)) return 0;
    if (a == b) return 0;
    const real difference = std::abs(a - b);
    return std::isnan(difference) ? INFINITE : difference;
}

// The expectation after f. The tolerance is the larger distance of f(value) from f at either end of the interval that
// the value may lie in. What is unknown stays unknown, even if f maps every number to an interval.
template <typename Function>
expectation mapped(const expectation &e, Function f) {
    const real value = f(e.value);
    if (std::isinf(e.tolerance)) return {value, e.tolerance};
    return {value, std::max(distance(f(e.value - e.tolerance), value), distance(f(e.value + e.tolerance), value))};
}

// With alpha 0 it is max(0, x), which is 0 for -infinity.
real relu(real x, real alpha) { return x > 0 ? x : x < 0 && alpha == 0 ? 0 : alpha * x; }

real logistic(real x) { return 1 / (1 + std::exp(-x)); }
real soft_relu(real x) { return x > 50 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

// x times a factor that is zero only where the product goes to zero, as x goes to infinity.
real vanishing(real x, real factor) { return factor == 0 ? 0 : x * factor; }

real gelu_tanh(real x) {
    const real root = std::sqrt(2 / std::acos(-1.0L));
    return vanishing(x / 2, 1 + std::tanh(root * (x + 0.044715L * x * x * x)));
}

real hardsigmoid(real x, real alpha, real beta) { return std::clamp(alpha * x + beta, real(0), real(1)); }

struct eltwise_formula {
    jitnorm_alg_kind_t algorithm;
    real (*value)(real x, real alpha, real beta);
};

#define FORMULA(expression)                                                                                            \
    [](real x, [[maybe_unused]] real alpha, [[maybe_unused]] real beta) -> real { return expression; }
constexpr eltwise_formula ELTWISES[] = {
    {jitnorm_eltwise_relu, FORMULA(relu(x, alpha))},
    {jitnorm_eltwise_tanh, FORMULA(std::tanh(x))},
    {jitnorm_eltwise_elu, FORMULA(x > 0 ? x : alpha * std::expm1(x))},
    {jitnorm_eltwise_square, FORMULA(x *x)},
    {jitnorm_eltwise_abs, FORMULA(std::abs(x))},
    {jitnorm_eltwise_sqrt, FORMULA(std::sqrt(x))},
    {jitnorm_eltwise_linear, FORMULA(alpha *x + beta)},
    {jitnorm_eltwise_soft_relu, FORMULA(soft_relu(alpha *x) / alpha)},
    {jitnorm_eltwise_hardsigmoid, FORMULA(hardsigmoid(x, alpha, beta))},
    {jitnorm_eltwise_logistic, FORMULA(logistic(x))},
    {jitnorm_eltwise_exp, FORMULA(std::exp(x))},
    {jitnorm_eltwise_gelu_tanh, FORMULA(gelu_tanh(x))},
    {jitnorm_eltwise_swish, FORMULA(vanishing(x, logistic(alpha *x)))},
    {jitnorm_eltwise_log, FORMULA(std::log(x))},
    {jitnorm_eltwise_clip, FORMULA(std::min(std::max(x, alpha), beta))}, // NaN stays NaN
    {jitnorm_eltwise_clip_v2, FORMULA(std::min(std::max(x, alpha), beta))},
    {jitnorm_eltwise_pow, FORMULA(alpha *std::pow(x, beta))},
    {jitnorm_eltwise_gelu_erf, FORMULA(vanishing(x / 2, std::erfc(-x / std::sqrt(2.0L))))},
    {jitnorm_eltwise_round, FORMULA(std::nearbyint(x))},
    {jitnorm_eltwise_mish, FORMULA(vanishing(x, std::tanh(soft_relu(x))))},
    {jitnorm_eltwise_hardswish, FORMULA(x *hardsigmoid(x, alpha, beta))},
};
#undef FORMULA

struct binary_formula {
    jitnorm_alg_kind_t algorithm;
    real (*value)(real x, real y);
};

#define FORMULA(expression) [](real x, real y) -> real { return expression; }
constexpr binary_formula BINARIES[] = {
    {jitnorm_binary_add, FORMULA(x + y)},
    {jitnorm_binary_mul, FORMULA(x *y)},
    {jitnorm_binary_max, FORMULA(x > y ? x : y)}, // y if x is NaN
    {jitnorm_binary_min, FORMULA(x < y ? x : y)},
    {jitnorm_binary_div, FORMULA(x / y)},
    {jitnorm_binary_sub, FORMULA(x - y)},
    {jitnorm_binary_ge, FORMULA(x >= y)},
    {jitnorm_binary_gt, FORMULA(x > y)},
    {jitnorm_binary_le, FORMULA(x <= y)},
    {jitnorm_binary_lt, FORMULA(x < y)},
    {jitnorm_binary_eq, FORMULA(x == y)},
    {jitnorm_binary_ne, FORMULA(x != y)},
    {jitnorm_binary_mul_silu, FORMULA(x *vanishing(y, logistic(y)))},
    {jitnorm_binary_mul_plus_one, FORMULA(std::fma(x, y, x))},
};
#undef FORMULA

bool has_16_bits(data_type type) { return type == jitnorm_bf16 || type == jitnorm_f16; }

// The expectation after a rounding to the type, by way of f32. Near the middle between two of its numbers both may come
// out.
expectation rounded(expectation e, data_type type, double unit) {
    if (type == jitnorm_data_type_undef || type == jitnorm_f64 || (type == jitnorm_f32 && unit == F32_ERROR)) return e;
    if (unit == F64_ERROR && has_16_bits(type)) e.tolerance += real(half_ulp(jitnorm_f32, double(e.value)));
    return mapped(e, [&](real x) { return real(round_to(type, double(x))); });
}

// Normalized values that are far from 1 are rounded to bf16 otherwise: small ones keep more digits than bf16 has there,
// and what becomes of large ones is not said.
expectation normalized_and_rounded(const expectation &e, data_type type, double unit) {
    expectation result = rounded(e, type, unit);
    if (type != jitnorm_bf16) return result;
    if (std::abs(e.value) - e.tolerance < 0x1p-126L) result.tolerance += real(half_ulp(type, 0));
    if (!(std::abs(e.value) + e.tolerance < 0x1p111L)) result.tolerance = INFINITE;
    return result;
}

} // namespace

real row_inputs::scale_of(size_t c) const {
    return scale.empty() ? 1 : real(scale[c]) + (has(jitnorm_scale_plus_one) ? 1 : 0);
}

real row_inputs::shift_of(size_t c) const { return shift.empty() ? 0 : shift[c]; }

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

real silu_product(real x, real z, double unit) {
    return round_to(unit == F32_ERROR ? jitnorm_f32 : jitnorm_f64, double(binary_value(jitnorm_binary_mul_silu, x, z)));
}

real silu_error(real product, double unit) {
    return 4 * (unit == F32_ERROR ? 0x1p-23L : 0x1p-52L) * std::abs(product) + 4 * denormal_step(unit);
}

expectation expect_mean(std::span<const double> src, const statistics &stats, double unit) {
    return {stats.mean + stats.rest, unit * largest_deviation(src, stats)};
}

expectation expect_variance(const statistics &stats, double unit) {
    return {stats.variance, 2 * unit * stats.variance};
}

void expect_forward(const row_inputs &in, double unit, std::span<expectation> dst) {
    const real rstd = reciprocal_deviation(in), largest = largest_deviation(in.src, in.stats) * rstd;
    // Of an element, of the mean and, by the inverse deviation, of everything.
    const real src_loss = in.src_loss * rstd * (2 + largest);
    const real xhat_loss = 2 * denormal_step(unit) + denormal_mean_loss(in.src.size()) * rstd + src_loss;
    for (size_t c = 0; c < dst.size(); ++c) {
        const real scale = in.scale_of(c), shift = in.shift_of(c);
        if (in.rounded.normalized != jitnorm_data_type_undef) {
            const expectation xhat = normalized_and_rounded(
                {in.stats.deviation(in.src[c]) * rstd, unit * largest + xhat_loss}, in.rounded.normalized, unit);
            const real y = scale * xhat.value + shift,
                       more = ONE_ROUNDING * unit * (std::abs(scale * xhat.value) + std::abs(shift));
            dst[c] = rounded(held({y, std::abs(scale) * xhat.tolerance + more + denormal_step(unit)}, unit),
                             in.rounded.scaled, unit);
            continue;
        }
        dst[c].value = scale * (in.stats.deviation(in.src[c]) * rstd) + shift;
        dst[c].tolerance = unit * (std::abs(scale) * largest + std::abs(shift) / 8) + std::abs(scale) * xhat_loss +
                           denormal_step(unit);
    }
}

void expect_diff_src(const row_inputs &in, double unit, std::span<expectation> diff_src) {
    const real rstd = reciprocal_deviation(in), largest = largest_deviation(in.src, in.stats) * rstd;
    gradient_means m = means_of(in, rstd);
    const bool has_constants = in.has(jitnorm_use_global_stats); // xhat has no part in it, even where it is infinite
    if (has_constants || in.has(jitnorm_rms_norm)) m.g = m.g_magnitude = 0;
    const real magnitude = m.largest_g + (has_constants ? 0 : m.g_magnitude + largest * m.g_xhat_magnitude);
    const real tolerance = unit * rstd * magnitude + denormal_step(unit) * (rstd * (m.g_magnitude + 4) + 1);
    for (size_t c = 0; c < diff_src.size(); ++c) {
        const real g = in.diff_dst[c] * in.scale_of(c), xhat = in.stats.deviation(in.src[c]) * rstd;
        diff_src[c] = {rstd * (has_constants ? g : g - m.g - xhat * m.g_xhat), tolerance};
    }
}

void gradient_sums::merge(const gradient_sums &other) {
    rows_ += other.rows_;
    for (size_t c = 0; c < columns_.size(); ++c) {
        columns_[c].scale += other.columns_[c].scale;
        columns_[c].scale_magnitude += other.columns_[c].scale_magnitude;
        columns_[c].scale_tolerance += other.columns_[c].scale_tolerance;
        columns_[c].shift += other.columns_[c].shift;
        columns_[c].shift_magnitude += other.columns_[c].shift_magnitude;
    }
}

void gradient_sums::add_row(const row_inputs &in) {
    rows_ += 1;
    const real rstd = reciprocal_deviation(in);
    for (size_t c = 0; c < columns_.size(); ++c) {
        const real diff_dst = in.diff_dst[c], exact = in.stats.deviation(in.src[c]) * rstd;
        expectation xhat = {exact, 0};
        if (in.rounded.normalized != jitnorm_data_type_undef)
            xhat = normalized_and_rounded({exact, F32_ERROR * std::abs(exact) + 4 * denormal_step(F32_ERROR)},
                                          in.rounded.normalized, F32_ERROR);
        const real product = diff_dst * xhat.value;
        columns_[c].scale += product;
        if (diff_dst != 0) columns_[c].scale_tolerance += std::abs(diff_dst) * xhat.tolerance;
        columns_[c].scale_magnitude += std::abs(product);
        columns_[c].shift += diff_dst;
        columns_[c].shift_magnitude += std::abs(diff_dst);
    }
}

expectation gradient_sums::diff_scale(size_t c, double unit) const {
    const real magnitudes = unit * columns_[c].scale_magnitude + columns_[c].scale_tolerance;
    return {columns_[c].scale, magnitudes + denormal_step(unit) * (columns_[c].shift_magnitude + 2 * rows_)};
}

expectation gradient_sums::diff_shift(size_t c, double unit) const {
    return {columns_[c].shift, unit * columns_[c].shift_magnitude};
}

real eltwise_value(const eltwise_post_op &op, real x) {
    for (const auto &[algorithm, value] : ELTWISES)
        if (algorithm == op.algorithm) return value(x, op.alpha, op.beta);
    throw std::logic_error("eltwise algorithm without a formula");
}

real binary_value(jitnorm_alg_kind_t algorithm, real x, real y) {
    for (const auto &[known, value] : BINARIES)
        if (known == algorithm) return value(x, y);
    throw std::logic_error("binary algorithm without a formula");
}

expectation held(const expectation &e, double unit) {
    const real most =
        unit == F64_ERROR ? real(std::numeric_limits<double>::max()) : real(std::numeric_limits<float>::max());
    const real magnitude = std::abs(e.value);
    if (std::isnan(e.tolerance)) return {e.value, INFINITE}; // what was unknown times zero
    if (!(magnitude + e.tolerance > most)) return e;         // as well if it is a NaN
    if (magnitude - e.tolerance > most) return {std::copysign(INFINITE, e.value), 0};
    return {e.value, INFINITE};
}

expectation scaled(const expectation &e, real factor, double unit) {
    const real value = e.value * factor;
    const real tolerance = e.tolerance * std::abs(factor), magnitude = std::abs(value) + tolerance;
    return held({value, tolerance + 2 * ONE_ROUNDING * unit * magnitude + denormal_step(unit)}, unit);
}

expectation dynamic_scale_of(std::span<const expectation> values, double largest, double unit) {
    expectation found{0, 0};
    for (const expectation &e : values) {
        const real magnitude = std::abs(e.value);
        found.value =
            std::isnan(magnitude) || std::isnan(found.value) ? NOT_A_NUMBER : std::max(found.value, magnitude);
        found.tolerance = std::max(found.tolerance, e.tolerance);
    }
    return scaled(found, 1 / real(largest), unit);
}

// A value is multiplied by zero if its scale is zero, not finite, or so small that it has no finite inverse in f32.
expectation quantized(const expectation &e, double scale, double unit) {
    if (std::isinf(e.tolerance)) return e;
    if (!std::isfinite(scale) || scale <= 0x1p-128) return {std::isfinite(e.value) ? 0 : NOT_A_NUMBER, 0};
    return scaled(e, 1 / real(scale), unit);
}

expectation after_sum(const expectation &e, const sum_post_op &op, real old_dst, double unit) {
    const real addend = op.scale * (old_dst - op.zero_point), value = e.value + addend;
    return held({value, e.tolerance + ONE_ROUNDING * unit * (std::abs(addend) + std::abs(value))}, unit);
}

// Near zero, the error of functions such as gelu is relative to the argument, not to the value.
expectation after_eltwise(const expectation &e, const eltwise_post_op &op, double unit) {
    expectation result = mapped(e, [&](real x) { return eltwise_value(op, x); });
    if (std::isfinite(result.value))
        result.tolerance +=
            unit * std::max(std::abs(result.value), std::min(std::abs(e.value), real(1))) + denormal_step(unit);
    return held(result, unit);
}

// Equality needs a rule of its own: if `source` lies inside the interval of the value, the results at both ends agree,
// and yet the value may be equal to `source`.
expectation after_binary(const expectation &e, const binary_post_op &op, real source, double unit) {
    if (unit != F64_ERROR) source = round_to(jitnorm_f32, double(source)); // the type of the computation
    expectation result = mapped(e, [&](real x) { return binary_value(op.algorithm, x, source); });
    const bool equality = op.algorithm == jitnorm_binary_eq || op.algorithm == jitnorm_binary_ne;
    if (equality && std::abs(e.value - source) <= e.tolerance) result.tolerance = 1;
    const bool silu = op.algorithm == jitnorm_binary_mul_silu; // several roundings, and denormal values of silu
    if (silu && std::isinf(e.value) && std::abs(binary_value(op.algorithm, 1, source)) < 4 * denormal_step(unit))
        return {result.value, INFINITE}; // infinity times what may be rounded to 0
    if (!std::isfinite(result.value)) return result;
    const real magnitude = std::abs(result.value) + result.tolerance;
    result.tolerance += (silu ? 1 : ONE_ROUNDING) * unit * magnitude + denormal_step(unit);
    if (silu) result.tolerance += (1 + std::abs(e.value)) * 2 * denormal_step(unit);
    return held(result, unit);
}

} // namespace benchdnn_lite
