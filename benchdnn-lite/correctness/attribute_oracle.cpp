// SPDX-License-Identifier: Apache-2.0
// Expected values and tolerances after scales and post-operations.
#include "attribute_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

// The part of a unit of error that is allowed for an operation that rounds its result once. An approximated function is
// allowed the whole unit.
constexpr real ONE_ROUNDING = 1.0L / 8;
constexpr real NOT_A_NUMBER = std::numeric_limits<real>::quiet_NaN();

real distance(real a, real b) {
    if (std::isnan(a) && std::isnan(b)) return 0;
    if (a == b) return 0;
    const real difference = std::abs(a - b);
    return std::isnan(difference) ? std::numeric_limits<real>::infinity() : difference;
}

// The expectation after f. The tolerance is the larger distance of f(value) from f at either end of the interval that
// the value may lie in.
template <typename Function>
expectation mapped(const expectation &e, Function f) {
    const real value = f(e.value);
    return {value, std::max(distance(f(e.value - e.tolerance), value), distance(f(e.value + e.tolerance), value))};
}

real logistic(real x) { return 1 / (1 + std::exp(-x)); }
real soft_relu(real x) { return x > 50 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

real gelu_tanh(real x) {
    const real root = std::sqrt(2 / std::acos(-1.0L));
    return x / 2 * (1 + std::tanh(root * (x + 0.044715L * x * x * x)));
}

real hardsigmoid(real x, real alpha, real beta) { return std::clamp(alpha * x + beta, real(0), real(1)); }

} // namespace

real eltwise_value(const eltwise_post_op &op, real x) {
    const real alpha = op.alpha, beta = op.beta;
    switch (op.algorithm) {
    case jitnorm_eltwise_relu:
        return x > 0 ? x : alpha * x;
    case jitnorm_eltwise_tanh:
        return std::tanh(x);
    case jitnorm_eltwise_elu:
        return x > 0 ? x : alpha * std::expm1(x);
    case jitnorm_eltwise_square:
        return x * x;
    case jitnorm_eltwise_abs:
        return std::abs(x);
    case jitnorm_eltwise_sqrt:
        return std::sqrt(x);
    case jitnorm_eltwise_linear:
        return alpha * x + beta;
    case jitnorm_eltwise_soft_relu:
        return soft_relu(alpha * x) / alpha;
    case jitnorm_eltwise_hardsigmoid:
        return hardsigmoid(x, alpha, beta);
    case jitnorm_eltwise_logistic:
        return logistic(x);
    case jitnorm_eltwise_exp:
        return std::exp(x);
    case jitnorm_eltwise_gelu_tanh:
        return gelu_tanh(x);
    case jitnorm_eltwise_swish:
        return x * logistic(alpha * x);
    case jitnorm_eltwise_log:
        return std::log(x);
    case jitnorm_eltwise_clip:
    case jitnorm_eltwise_clip_v2:
        return std::min(beta, std::max(alpha, x));
    case jitnorm_eltwise_pow:
        return alpha * std::pow(x, beta);
    case jitnorm_eltwise_gelu_erf:
        return x / 2 * std::erfc(-x / std::sqrt(2.0L));
    case jitnorm_eltwise_round:
        return std::nearbyint(x);
    case jitnorm_eltwise_mish:
        return x * std::tanh(soft_relu(x));
    case jitnorm_eltwise_hardswish:
        return x * hardsigmoid(x, alpha, beta);
    default:
        throw std::logic_error("eltwise algorithm without a formula");
    }
}

real binary_value(jitnorm_alg_kind_t algorithm, real x, real y) {
    switch (algorithm) {
    case jitnorm_binary_add:
        return x + y;
    case jitnorm_binary_mul:
        return x * y;
    case jitnorm_binary_max: // y if x is NaN
        return x > y ? x : y;
    case jitnorm_binary_min:
        return x < y ? x : y;
    case jitnorm_binary_div:
        return x / y;
    case jitnorm_binary_sub:
        return x - y;
    case jitnorm_binary_ge:
        return x >= y;
    case jitnorm_binary_gt:
        return x > y;
    case jitnorm_binary_le:
        return x <= y;
    case jitnorm_binary_lt:
        return x < y;
    case jitnorm_binary_eq:
        return x == y;
    case jitnorm_binary_ne:
        return x != y;
    default:
        throw std::logic_error("binary algorithm without a formula");
    }
}

expectation scaled(const expectation &e, real factor, double unit) {
    const real value = e.value * factor;
    return {value, e.tolerance * std::abs(factor) + 2 * ONE_ROUNDING * unit * std::abs(value)};
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
    if (!std::isfinite(scale) || scale <= 0x1p-128) return {std::isfinite(e.value) ? 0 : NOT_A_NUMBER, 0};
    return scaled(e, 1 / real(scale), unit);
}

expectation after_sum(const expectation &e, const sum_post_op &op, real old_dst, double unit) {
    const real addend = op.scale * (old_dst - op.zero_point), value = e.value + addend;
    return {value, e.tolerance + ONE_ROUNDING * unit * (std::abs(addend) + std::abs(value))};
}

// Near zero, the error of functions such as gelu is relative to the argument, not to the value.
expectation after_eltwise(const expectation &e, const eltwise_post_op &op, double unit) {
    expectation result = mapped(e, [&](real x) { return eltwise_value(op, x); });
    if (std::isfinite(result.value))
        result.tolerance += unit * std::max(std::abs(result.value), std::min(std::abs(e.value), real(1)));
    return result;
}

// Equality needs a rule of its own: if `source` lies inside the interval of the value, the results at both ends agree,
// and yet the value may be equal to `source`.
expectation after_binary(const expectation &e, const binary_post_op &op, real source, double unit) {
    expectation result = mapped(e, [&](real x) { return binary_value(op.algorithm, x, source); });
    const bool equality = op.algorithm == jitnorm_binary_eq || op.algorithm == jitnorm_binary_ne;
    if (equality && std::abs(e.value - source) <= e.tolerance) result.tolerance = 1;
    if (std::isfinite(result.value)) result.tolerance += ONE_ROUNDING * unit * std::abs(result.value);
    return result;
}

} // namespace benchdnn_lite
