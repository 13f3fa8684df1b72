// SPDX-License-Identifier: Apache-2.0
// The limits of docs/arithmetic.md ("Accuracy"): up to them results are as accurate as promised, and beyond them
// every implementation gives the documented values.
#include <cmath>

#include "dispatch/prepare.hpp"
#include "support/accuracy.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned RMS = jitnorm_rms_norm;
constexpr dim_t ROWS = 5;

// Calls body(implementation) for each that this machine has.
template <typename Body>
void by_each(const problem &p, Body &&body) {
    for (const implementation &entry : impl::layer_norm::implementations()) {
        if (!entry.refusal(p).empty()) continue;
        SCOPED_TRACE(entry.name);
        body(entry);
    }
}

std::vector<double> numbers(dim_t columns, double size, unsigned seed = 3) {
    return random_values(ROWS * columns, 0, size, seed);
}

std::vector<double> two_levels(dim_t columns, double size) {
    std::vector<double> result;
    for (dim_t i = 0; i < ROWS * columns; ++i) result.push_back(i % 2 == 0 ? -size : size);
    return result;
}

setup rows_of(jitnorm_data_type_t type, dim_t columns, unsigned flags = 0) {
    return {.flags = flags, .dims = {ROWS, columns}, .src_type = type, .dst_type = type, .diff_src_type = type};
}

run forward_of(const setup &s, const std::vector<double> &src, double epsilon) {
    run r(s);
    r.p.epsilon = epsilon;
    r[SRC].fill(src);
    return r;
}

outputs executed(run r, const implementation &by) {
    r.execute_on(by);
    return outputs_of(r);
}

outputs forward(const implementation &entry, const setup &s, const std::vector<double> &src, double epsilon) {
    return executed(forward_of(s, src, epsilon), entry);
}

void expect_normalized(const setup &s, const std::vector<double> &src, double epsilon, double bound) {
    const exact_results exact = exact_results_of(forward_of(s, src, epsilon).question());
    by_each(make_problem(s), [&](const implementation &entry) {
        expect_close(forward(entry, s, src, epsilon)[DST], exact.dst, size_t(s.dims.back()), bound);
    });
}

template <typename Predicate>
void expect_every(const std::vector<double> &values, Predicate &&holds) {
    ASSERT_FALSE(values.empty());
    for (size_t i = 0; i < values.size(); ++i) ASSERT_TRUE(holds(values[i])) << values[i] << " at " << i;
}

bool is_nan(double value) { return std::isnan(value); }
bool is_zero(double value) { return value == 0; }
bool is_zero_or_nan(double value) { return is_zero(value) || is_nan(value); }
bool is_infinite(double value) { return std::isinf(value); }
bool is_not_finite(double value) { return !std::isfinite(value); }

TEST(limits, doubles_whose_squares_are_in_range) {
    for (const double size : {1e-153, 1e-100, 1.0, 1e100, 1e149})
        for (const dim_t columns : {3, 17, 100, 5000})
            for (const unsigned flags : {0U, RMS}) {
                SCOPED_TRACE(testing::Message() << size << ", C " << columns << ", flags " << flags);
                expect_normalized(rows_of(jitnorm_f64, columns, flags), numbers(columns, size), 0, 1e-13);
            }
    for (const dim_t columns : {2, 100, 5000}) {
        SCOPED_TRACE(columns);
        const double largest = 1e154 / std::sqrt(double(columns));
        for (const double size : {2e-154, largest / 2})
            expect_normalized(rows_of(jitnorm_f64, columns), two_levels(columns, size), 0, 1e-13);
        expect_normalized(rows_of(jitnorm_f64, columns, RMS), two_levels(columns, largest), 0, 1e-13);
    }
}

// Without epsilon nothing hides the statistics of tiny rows; at last a deviation has no finite reciprocal.
TEST(limits, tiny_floats_without_epsilon) {
    const setup s = rows_of(jitnorm_f32, 100);
    for (const double size : {1e-10, 1e-20, 1e-30}) {
        SCOPED_TRACE(size);
        expect_normalized(s, numbers(100, size), 0, 1e-6);
    }
    by_each(make_problem(s), [&](const implementation &entry) {
        expect_every(forward(entry, s, two_levels(100, 1e-40), 0)[DST], is_infinite);
    });
}

// Whatever is lost of tiny squares, epsilon is more.
TEST(limits, doubles_whose_squares_vanish_beside_epsilon) {
    for (const double size : {1e-155, 1e-170, 1e-290})
        for (const double epsilon : {1e-5, 1e-300})
            for (const unsigned flags : {0U, RMS}) {
                SCOPED_TRACE(testing::Message() << size << ", epsilon " << epsilon << ", flags " << flags);
                expect_normalized(rows_of(jitnorm_f64, 100, flags), numbers(100, size), epsilon, 1e-13);
            }
}

TEST(limits, doubles_whose_squares_leave_the_range) {
    for (const dim_t columns : {2, 100, 5000})
        for (const unsigned flags : {0U, RMS}) {
            SCOPED_TRACE(testing::Message() << "C " << columns << ", flags " << flags);
            const setup s = rows_of(jitnorm_f64, columns, flags);
            by_each(make_problem(s), [&](const implementation &entry) {
                expect_every(forward(entry, s, two_levels(columns, 1e160), 1e-5)[DST], is_zero_or_nan);
                expect_every(forward(entry, s, two_levels(columns, 1e-170), 0)[DST], is_infinite);
            });
        }
}

// Where statistics are found, a constant row is shift; without epsilon it has no deviation to be divided by.
TEST(limits, constant_rows) {
    for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
        for (const dim_t columns : {1, 2, 7, 100, 4097, 10007})
            for (const double value : {0.0, 0.1, -3.25, -3e7, 1e30, 1e-40}) {
                SCOPED_TRACE(testing::Message() << value << ", type " << type << ", C " << columns);
                const setup s = rows_of(type, columns);
                const std::vector<double> src(size_t(ROWS * columns), value);
                by_each(make_problem(s), [&](const implementation &entry) {
                    expect_every(forward(entry, s, src, 1e-30)[DST],
                                 [](double y) { return y == 0 && !std::signbit(y); });
                    expect_every(forward(entry, s, src, 0)[DST], is_nan);
                });
            }
}

// ---- backward, from statistics that are floats

setup backward_rows(jitnorm_data_type_t type, dim_t columns, statistics_form form) {
    setup s = rows_of(type, columns, jitnorm_use_scale);
    s.form = form;
    return s;
}

// By the forward's own mean, and its variance or inverse deviation.
run backward_of(const implementation &entry, setup s, const std::vector<double> &src,
                const std::vector<double> &diff_dst) {
    const outputs found = forward(entry, s, src, 0);
    s.kind = jitnorm_backward;
    run r = forward_of(s, src, 0);
    r[DIFF_DST].fill(diff_dst);
    r[SCALE].fill(std::vector<double>(size_t(s.dims.back()), 1));
    r[MEAN].fill(found[MEAN]);
    r[VARIANCE].fill(found[VARIANCE]);
    return r;
}

outputs backward(const implementation &entry, const setup &s, const std::vector<double> &src,
                 const std::vector<double> &diff_dst) {
    return executed(backward_of(entry, s, src, diff_dst), entry);
}

TEST(limits, variances_beyond_floats_give_no_gradients) {
    for (const auto type : {jitnorm_f32, jitnorm_f64})
        for (const dim_t columns : {2, 100, 5000}) {
            SCOPED_TRACE(testing::Message() << "type " << type << ", C " << columns);
            const setup s = backward_rows(type, columns, statistics_form::variance);
            const std::vector<double> diff_dst = numbers(columns, 1);
            by_each(make_problem(s), [&](const implementation &entry) {
                const auto large = two_levels(columns, 2e19), small = two_levels(columns, 1e-25);
                const setup plain = rows_of(type, columns);
                EXPECT_NEAR(forward(entry, plain, large, 0)[DST][1], 1, 1e-6);
                expect_every(forward(entry, plain, large, 0)[VARIANCE], is_infinite);
                const outputs of_large = backward(entry, s, large, diff_dst);
                expect_every(of_large[DIFF_SRC], is_zero);
                expect_every(of_large[DIFF_SCALE], is_zero);
                EXPECT_NEAR(forward(entry, plain, small, 0)[DST][1], 1, 1e-6);
                expect_every(forward(entry, plain, small, 0)[VARIANCE], is_zero);
                const outputs of_small = backward(entry, s, small, diff_dst);
                expect_every(of_small[DIFF_SRC], is_not_finite);
                expect_every(of_small[DIFF_SCALE], is_not_finite);
            });
        }
}

TEST(limits, inverse_deviations_give_gradients_at_any_deviation) {
    for (const auto type : {jitnorm_f32, jitnorm_f64})
        for (const double size : {2e19, 1e-25, 1e37, 1e-37})
            for (const dim_t columns : {3, 100, 5000}) {
                SCOPED_TRACE(testing::Message() << "type " << type << ", C " << columns << ", " << size);
                const setup s = backward_rows(type, columns, statistics_form::inverse_deviation);
                std::vector<double> src = numbers(columns, size);
                if (type == jitnorm_f32)
                    for (double &x : src) x = double(float(x));
                const std::vector<double> diff_dst = numbers(columns, 1, 4);
                const exact_results statistics = exact_results_of(forward_of(s, src, 0).question());
                by_each(make_problem(s), [&](const implementation &entry) {
                    run r = backward_of(entry, s, src, diff_dst);
                    oracle_problem question = r.question();
                    question.mean = statistics.mean; // in place of those that are floats
                    question.variance = statistics.variance;
                    const exact_results exact = exact_results_of(question);
                    const outputs got = executed(std::move(r), entry);
                    expect_close(got[DIFF_SRC], exact.diff_src, size_t(columns), 1e-5);
                    expect_close(got[DIFF_SCALE], exact.diff_scale, size_t(columns), 1e-5);
                });
            }
}

// A deviation that is no float has no inverse deviation that is one.
TEST(limits, doubles_beyond_floats_have_no_statistics_for_backward) {
    const setup s = backward_rows(jitnorm_f64, 100, statistics_form::inverse_deviation);
    const std::vector<double> diff_dst = numbers(100, 1);
    by_each(make_problem(s), [&](const implementation &entry) {
        expect_every(backward(entry, s, two_levels(100, 1e50), diff_dst)[DIFF_SRC], is_zero);
        expect_every(backward(entry, s, two_levels(100, 1e-50), diff_dst)[DIFF_SRC], is_not_finite);
    });
}

} // namespace
} // namespace jitnorm::tests
