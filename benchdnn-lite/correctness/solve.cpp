// SPDX-License-Identifier: Apache-2.0
#include "solve.hpp"

#include <cmath>

#include "compare.hpp"

namespace benchdnn_lite {

namespace {

// Takes the rows one after the other.
class solver {
public:
    explicit solver(const oracle_problem &q) : q_(q), gradients_(q.groups(), gradient_sums(q.columns)) {}

    answers solve() {
        for (size_t row = 0; row < q_.rows; ++row)
            q_.is_backward() ? add_backward_row(row_of(q_, row), row) : add_forward_row(row_of(q_, row));
        for (const gradient_sums &sums : gradients_)
            for (size_t c = 0; c < q_.columns; ++c) {
                all_.diff_scale.push_back(sums.diff_scale(c, q_.unit()));
                all_.diff_shift.push_back(sums.diff_shift(c, q_.unit()));
            }
        return std::move(all_);
    }

private:
    void add_forward_row(const row_inputs &in) {
        const double unit = q_.unit();
        expectation mean = expect_mean(in.src, in.stats, unit), variance = expect_variance(in.stats, unit);
        const real inverse = 1 / std::sqrt(in.stats.variance + in.epsilon);
        for (expectation *e : {&mean, &variance}) // what a narrower type than f32 receives has been f32
            e->tolerance += real(half_ulp(jitnorm_f32, double(e->value)));
        all_.mean.push_back(mean);
        all_.variance.push_back(variance);
        all_.inverse_deviation.push_back({inverse, 2 * unit * inverse + real(half_ulp(jitnorm_f32, double(inverse)))});
        all_.dst.resize(all_.dst.size() + q_.columns);
        expect_forward(in, unit, std::span(all_.dst).last(q_.columns));
    }

    void add_backward_row(const row_inputs &in, size_t row) {
        all_.diff_src.resize(all_.diff_src.size() + q_.columns);
        const std::span<expectation> diff_src = std::span(all_.diff_src).last(q_.columns);
        expect_diff_src(in, q_.unit(), diff_src);
        for (size_t c = 0; c < q_.columns && !q_.diff_sum.empty(); ++c) {
            diff_src[c].value += q_.diff_sum[row * q_.columns + c];
            diff_src[c].tolerance += q_.unit() * std::abs(diff_src[c].value);
        }
        gradients_[q_.group.empty() ? 0 : q_.group[row]].add_row(in);
    }

    const oracle_problem &q_;
    answers all_;
    std::vector<gradient_sums> gradients_; // of each group
};

} // namespace

row_inputs row_of(const oracle_problem &q, size_t row) {
    const auto of_row = [&](const std::vector<double> &all) {
        return all.empty() ? std::span<const double>() : std::span(all).subspan(row * q.columns, q.columns);
    };
    const auto parameter = [&](const std::vector<double> &all) {
        return all.size() <= q.columns ? std::span(all) : of_row(all);
    };
    row_inputs in = {of_row(q.src), parameter(q.scale), parameter(q.shift), of_row(q.diff_dst), {}, q.epsilon, q.flags};
    in.rounded = q.rounded;
    const bool rms = q.has(jitnorm_rms_norm), given = q.is_backward() || q.has(jitnorm_use_global_stats);
    in.stats = given ? statistics{rms ? 0 : q.mean[row], 0, q.variance[row]} : statistics_of(in.src, rms);
    return in;
}

answers solve(const oracle_problem &q) { return solver(q).solve(); }

void apply(std::span<expectation> values, const post_op &step, std::span<const double> operand, double unit) {
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

} // namespace benchdnn_lite
