// SPDX-License-Identifier: Apache-2.0
// oracle: the results of layer normalization by its textbook formulas in long double, one row at a time, with the error
// that a correct library may make. It shares no code with the library.
//
//   mean = sum x / C        variance = sum (x - mean)^2 / C        rstd = 1 / sqrt(variance + epsilon)
//   xhat = (x - mean) rstd  y = scale xhat + shift                 g = diff_dst scale
//   diff_src = rstd (g - sum g / C - xhat sum (g xhat) / C)
//   diff_scale = sum over rows diff_dst xhat                       diff_shift = sum over rows diff_dst
// With rms_norm the mean is zero and its term in diff_src is absent; with use_global_stats both sums in diff_src are
// absent. scale and shift are what other flags make of the tensors' elements: scale_of() and shift_of(). With
// round_normalized xhat in y and in diff_scale is rounded, and so is y: rounded_types.
//
// Errors are relative to the row (a bound on max |error| / max |xhat|), as the library documents them. Near zero, the
// distance between denormal numbers is added. compare.hpp adds the rounding to the type of a tensor.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "../problem/attributes.hpp"

namespace benchdnn_lite {

using real = long double;
constexpr real INFINITE = std::numeric_limits<real>::infinity();

// The error that computing in f32 (f64) may make before the result is rounded. With the rounding to f32 it is 1e-6.
constexpr double F32_ERROR = 1e-6 - 0x1p-24;
constexpr double F64_ERROR = 4e-15;

struct expectation {
    real value;
    real tolerance;
};

struct statistics {
    real mean = 0;
    real rest = 0; // what the rounding of the mean lost; it matters if the mean is far larger than the deviations
    real variance = 0;

    real deviation(double x) const { return (x - mean) - rest; }
};

// x * silu(z), rounded, and what a product may differ from it by: 2 ulp of silu, and the roundings of both products and
// of what is added to them. `unit` is F32_ERROR or F64_ERROR.
real silu_product(real x, real z, double unit);
real silu_error(real product, double unit);

statistics statistics_of(std::span<const double> src, bool rms);
expectation expect_mean(std::span<const double> src, const statistics &stats, double unit);
expectation expect_variance(const statistics &stats, double unit);

// The types to which values are rounded before and after they are scaled and shifted; undef: they are not.
struct rounded_types {
    data_type normalized = jitnorm_data_type_undef, scaled = jitnorm_data_type_undef;
};
// `row`: the type of src or of the sum that is normalized. `weights`: that of scale and shift, undef if there are none.
inline rounded_types rounded_types_of(unsigned flags, data_type row, data_type weights) {
    const bool is_floating = row == jitnorm_f32 || row == jitnorm_bf16 || row == jitnorm_f16;
    if ((flags & jitnorm_round_normalized) == 0 || !is_floating) return {};
    if (weights == jitnorm_data_type_undef || weights == row) return {row, row};
    return {row, weights == jitnorm_f64 ? jitnorm_f64 : jitnorm_f32};
}

struct row_inputs {
    std::span<const double> src, scale, shift; // scale and shift as their tensors hold them; empty: none
    std::span<const double> diff_dst;          // backward
    statistics stats;
    real epsilon = 0;
    unsigned flags = 0; // jitnorm_normalization_flags_t
    real src_loss = 0;  // the largest error that an element of src may have
    rounded_types rounded = {};

    bool has(jitnorm_normalization_flags_t flag) const { return (flags & unsigned(flag)) != 0; }
    // What a column is multiplied by, and what is added to it.
    real scale_of(size_t c) const;
    real shift_of(size_t c) const;
};

// `unit`: F32_ERROR or F64_ERROR.
void expect_forward(const row_inputs &in, double unit, std::span<expectation> dst);
void expect_diff_src(const row_inputs &in, double unit, std::span<expectation> diff_src);

// Adds up the gradients of scale and shift, row by row.
class gradient_sums {
public:
    explicit gradient_sums(size_t columns) : columns_(columns) {}
    void add_row(const row_inputs &in);
    void merge(const gradient_sums &other); // of other rows
    expectation diff_scale(size_t c, double unit) const;
    expectation diff_shift(size_t c, double unit) const;

private:
    struct column {
        real scale = 0, scale_magnitude = 0, scale_tolerance = 0, shift = 0, shift_magnitude = 0;
    };
    std::vector<column> columns_;
    real rows_ = 0;
};

real eltwise_value(const eltwise_post_op &op, real x);
real binary_value(jitnorm_alg_kind_t algorithm, real x, real y);

// A result as the type of the computation holds it: infinite beyond the largest number, unknown where it may be either.
// Here and below, `unit` is F32_ERROR or F64_ERROR.
expectation held(const expectation &e, double unit);
// The expectation after a multiplication by `factor`.
expectation scaled(const expectation &e, real factor, double unit);
// The scale by which values are divided so that their largest magnitude becomes `largest`.
expectation dynamic_scale_of(std::span<const expectation> values, double largest, double unit);
// The value divided by a scale that was found, not yet rounded to the type of dst.
expectation quantized(const expectation &e, double scale, double unit);
expectation after_sum(const expectation &e, const sum_post_op &op, real old_dst, double unit);
expectation after_eltwise(const expectation &e, const eltwise_post_op &op, double unit);
expectation after_binary(const expectation &e, const binary_post_op &op, real source, double unit);

} // namespace benchdnn_lite
