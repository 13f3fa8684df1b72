// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "correctness/compare.hpp"
#include "run_one.hpp"

namespace jitnorm::fuzz {

namespace {

using namespace benchdnn_lite;

// Of the rows, one after the other.
class solver {
public:
    explicit solver(const normalization &n) : n_(n), gradients_(n.columns) {}

    std::optional<answers> solve() {
        for (size_t row = 0; row < n_.rows; ++row) {
            row_inputs in = inputs_of(row);
            const bool is_backward = !n_.diff_dst.empty();
            in.stats = is_backward || n_.has_given_statistics
                           ? statistics{n_.is_rms ? 0 : n_.mean[row], 0, n_.variance[row]}
                           : statistics_of(in.src, n_.is_rms);
            if (!says_enough(in)) return std::nullopt;
            is_backward ? add_backward_row(in, row) : add_forward_row(in, row);
        }
        for (size_t c = 0; c < n_.columns; ++c) {
            all_.diff_scale.push_back(gradients_.diff_scale(c, n_.unit()));
            all_.diff_shift.push_back(gradients_.diff_shift(c, n_.unit()));
        }
        return std::move(all_);
    }

private:
    row_inputs inputs_of(size_t row) const {
        const auto row_of = [&](const numbers &all) {
            return all.empty() ? std::span<const double>() : std::span(all).subspan(row * n_.columns, n_.columns);
        };
        return {row_of(n_.src),         n_.scale, n_.shift, row_of(n_.diff_dst), {}, n_.epsilon, n_.is_rms,
                n_.has_given_statistics};
    }

    static bool says_enough(const row_inputs &in) {
        real largest = 0;
        for (const double x : in.src) largest = std::max(largest, std::abs(real(x)));
        return in.stats.variance + in.epsilon > 1e-8L * std::max(largest * largest, real(1e-8));
    }

    void add_forward_row(const row_inputs &in, size_t row) {
        const double unit = n_.unit();
        expectation mean = expect_mean(in.src, in.stats, unit), variance = expect_variance(in.stats, unit);
        const real inverse = 1 / std::sqrt(in.stats.variance + in.epsilon);
        for (expectation *e : {&mean, &variance}) // what a narrower type than f32 receives has been f32
            e->tolerance += real(half_ulp(jitnorm_f32, double(e->value)));
        all_.mean.push_back(mean);
        all_.variance.push_back(variance);
        all_.inverse_deviation.push_back({inverse, 2 * unit * inverse + real(half_ulp(jitnorm_f32, double(inverse)))});
        all_.dst.resize(all_.dst.size() + n_.columns);
        expect_forward(in, unit, std::span(all_.dst).subspan(row * n_.columns));
    }

    void add_backward_row(const row_inputs &in, size_t row) {
        all_.diff_src.resize(all_.diff_src.size() + n_.columns);
        const std::span<expectation> diff_src = std::span(all_.diff_src).subspan(row * n_.columns);
        expect_diff_src(in, n_.unit(), diff_src);
        for (size_t c = 0; c < n_.columns && !n_.diff_sum.empty(); ++c) {
            diff_src[c].value += n_.diff_sum[row * n_.columns + c];
            diff_src[c].tolerance += n_.unit() * std::abs(diff_src[c].value);
        }
        gradients_.add_row(in);
    }

    const normalization &n_;
    answers all_;
    gradient_sums gradients_;
};

} // namespace

numbers read(const layout &where, const void *base) {
    numbers values(size_t(where.elements()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = load(where.type, base, where.offset_of(int64_t(i)));
    return values;
}

numbers broadcast(const numbers &values, std::vector<int64_t> own, const std::vector<int64_t> &to) {
    own.insert(own.begin(), to.size() - own.size(), 1);
    size_t count = 1;
    for (const int64_t dim : to) count *= size_t(dim);
    numbers result(count);
    for (size_t i = 0; i < count; ++i) {
        const std::vector<int64_t> position = position_of(int64_t(i), to);
        int64_t at = 0;
        for (size_t d = 0; d < to.size(); ++d) at = at * own[d] + (own[d] == 1 ? 0 : position[d]);
        result[i] = values[size_t(at)];
    }
    return result;
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
    for (double &value : inverse_deviations) value = 1 / (value * value);
    return inverse_deviations;
}

std::optional<answers> solve(const normalization &n) {
    for (const numbers *values : {&n.src, &n.scale, &n.shift, &n.mean, &n.variance, &n.diff_dst, &n.diff_sum})
        if (!are_ordinary(*values)) return std::nullopt;
    return solver(n).solve();
}

void apply(expectations &values, const post_op &step, const numbers &operand, double unit) {
    for (size_t i = 0; i < values.size(); ++i) {
        expectation &e = values[i];
        if (const auto *sum = std::get_if<sum_post_op>(&step))
            e = after_sum(e, *sum, operand[i], unit);
        else if (const auto *binary = std::get_if<binary_post_op>(&step))
            e = after_binary(e, *binary, operand[i], unit);
        else
            e = after_eltwise(e, std::get<eltwise_post_op>(step), unit);
    }
}

void multiply(expectations &values, double factor, double unit) {
    for (expectation &e : values) e = scaled(e, factor, unit);
}

void require_scales(const char *what, expectations &values, size_t width, jitnorm_data_type_t to,
                    const numbers &found) {
    for (expectation &e : values) e.tolerance += real(half_ulp(jitnorm_f32, double(e.value)));
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
