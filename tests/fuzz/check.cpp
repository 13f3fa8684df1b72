// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "correctness/compare.hpp"
#include "run_one.hpp"

namespace jitnorm::fuzz {

namespace {

using namespace benchdnn_lite;

bool is_well_conditioned(const row_inputs &in) {
    real largest = 0;
    for (const double x : in.src) largest = std::max(largest, std::abs(real(x)));
    return in.stats.variance + in.epsilon > 1e-8L * std::max(largest * largest, real(1e-8));
}

} // namespace

numbers read(const layout &where, const void *base) {
    numbers values(size_t(where.elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = load(where.type, base, where.offset_of(int64_t(i)));
    return values;
}

numbers sum_of(const numbers &src, const numbers &residual, const numbers &bias, bool in_double) {
    const jitnorm_data_type_t type = in_double ? jitnorm_f64 : jitnorm_f32;
    numbers sum = src;
    for (size_t i = 0; i < sum.size(); ++i) {
        if (!residual.empty()) sum[i] = round_to(type, sum[i] + residual[i]);
        if (!bias.empty()) sum[i] = round_to(type, sum[i] + bias[i]);
    }
    return sum;
}

numbers rounded(numbers values, jitnorm_data_type_t type) {
    for (double &value : values) value = round_to(type, value);
    return values;
}

expectations exactly(const numbers &values) {
    expectations all;
    for (const double value : values) all.push_back({value, 0});
    return all;
}

numbers variances_of(numbers inverse_deviations) {
    for (double &value : inverse_deviations) value = value > 0 ? 1 / (value * value) : std::nan("");
    return inverse_deviations;
}

std::optional<answers> conditioned_answers(const oracle_problem &q) {
    for (const numbers *values : {&q.src, &q.scale, &q.shift, &q.mean, &q.variance, &q.diff_dst, &q.diff_sum})
        if (!are_ordinary(*values)) return std::nullopt;
    for (size_t row = 0; row < q.rows; ++row)
        if (!is_well_conditioned(row_of(q, row))) return std::nullopt;
    return solve(q);
}

void require_scales(const char *what, expectations &values, size_t width, jitnorm_data_type_t to,
                    const numbers &found) {
    for (expectation &e : values) e = held({e.value, e.tolerance + half_ulp(jitnorm_f32, double(e.value))}, F32_ERROR);
    expectations scales;
    for (size_t group = 0; group < found.size(); ++group) {
        const std::span<expectation> grouped = std::span(values).subspan(group * width, width);
        scales.push_back(dynamic_scale_of(grouped, largest(to), F32_ERROR));
        for (expectation &e : grouped) e = quantized(e, found[group], F32_ERROR);
    }
    require_near(what, scales, jitnorm_f32, found, F32_ERROR);
}

void require_near(const char *what, const expectations &expected, jitnorm_data_type_t type, const numbers &got,
                  double unit) {
    require(expected.size() == got.size(), "an output has as many elements as expected", what);
    for (size_t i = 0; i < got.size(); ++i) {
        expectation e = expected[i];
        if (unit == F64_ERROR && type != jitnorm_f64) // doubles become narrower types through f32
            e.tolerance += real(half_ulp(jitnorm_f32, double(e.value)));
        if (is_acceptable(type, e, got[i])) continue;
        char details[160];
        std::snprintf(details, sizeof details, "%s[%zu] of %zu is %.9g, not %.9Lg +- %.3Lg", what, i, got.size(),
                      got[i], e.value, e.tolerance);
        require(false, "results are near the exact ones", details);
    }
}

bool are_ordinary(const numbers &values) {
    return std::all_of(values.begin(), values.end(), [](double value) {
        const double magnitude = std::abs(value);
        return magnitude == 0 || (magnitude > 0x1p-20 && magnitude < 0x1p20);
    });
}

} // namespace jitnorm::fuzz
