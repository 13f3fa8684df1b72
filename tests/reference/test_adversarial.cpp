// SPDX-License-Identifier: Apache-2.0
// The definition's accuracy where others lose it: large means, tiny deviations, steps, values that are not finite. The
// bound of docs/arithmetic.md: max |got - exact| / max |exact| <= 1e-6 in each row. benchdnn-lite's files are executed
// on outliers, huge, tiny and denormal values.
#include "support/accuracy.hpp"
#include "support/run.hpp"

#include <limits>

namespace jitnorm::tests {
namespace {

constexpr double BOUND = 1e-6;
constexpr unsigned NO_AFFINE = 0;

// Forward training of rows of given values without scale and shift, and the exact results.
struct outcome {
    std::vector<double> dst;
    exact_results exact;
};

outcome normalize(const std::vector<double> &values, dim_t columns, unsigned flags = NO_AFFINE,
                  jitnorm_data_type_t type = jitnorm_f32) {
    run r({.flags = flags, .dims = {dim_t(values.size()) / columns, columns}, .src_type = type, .dst_type = type});
    r[SRC].fill(values);
    outcome result{{}, exact_results_of(r.question())};
    r.execute();
    result.dst = r.result().values();
    return result;
}

void expect_within_bound(const outcome &o, dim_t columns, double bound = BOUND) {
    expect_close(o.dst, o.exact.dst, size_t(columns), bound);
}

TEST(adversarial, means_and_deviations) {
    const struct {
        std::vector<double> means, deviations;
        std::vector<dim_t> columns;
        std::vector<jitnorm_data_type_t> types = {jitnorm_f32};
        double bound = BOUND;
    } choices[] = {
        {{0, 1, 1e3, 1e5, 1e6, 1e7}, {1e-3, 1e-1, 1, 1e1, 1e3}, {1, 2, 3, 5, 8, 31, 100, 768, 1024, 4096, 5000, 20000}},
        {{0, 1e6, 1e7}, {1}, {1000000}},
        {{0, 1, 1e3}, {3}, {1, 100, 5000}, {jitnorm_bf16, jitnorm_f16}},
        {{0, 1e7, 1e12}, {1}, {100, 5000}, {jitnorm_f64}, 1e-13}};
    for (const auto &c : choices)
        for (const double mean : c.means)
            for (const double deviation : c.deviations)
                for (const dim_t columns : c.columns)
                    for (const auto type : c.types)
                        for (const unsigned flags : {NO_AFFINE, unsigned(jitnorm_rms_norm)}) {
                            SCOPED_TRACE(testing::Message() << mean << " +- " << deviation << " C " << columns
                                                            << " type " << type << " flags " << flags);
                            expect_within_bound(
                                normalize(random_values(2 * columns, mean, deviation, 7), columns, flags, type),
                                columns, c.bound + rounding_of(type));
                        }
}

// A pivot from the row's beginning differs much from all that follows.
TEST(adversarial, a_step_after_the_beginning) {
    for (const dim_t head : {1, 4, 32, 512, 4096})
        for (const double step : {1e3, 1e6}) {
            const dim_t columns = 10000;
            SCOPED_TRACE(testing::Message() << head << " then " << step);
            std::vector<double> values = random_values(columns, step, 1, 11);
            for (dim_t c = 0; c < head; ++c) values[size_t(c)] -= step;
            expect_within_bound(normalize(values, columns), columns);
        }
}

// Without epsilon nothing hides the statistics of tiny rows.
TEST(adversarial, tiny_values_without_epsilon) {
    for (const double size : {1e-10, 1e-20, 1e-30}) {
        run r({.flags = 0, .dims = {3, 100}, .mean = 0, .deviation = size});
        r.p.epsilon = 0;
        const exact_results exact = exact_results_of(r.question());
        r.execute();
        SCOPED_TRACE(size);
        expect_close(r.result().values(), exact.dst, 100, BOUND);
    }
}

// The deviation is too small for a finite reciprocal.
TEST(adversarial, tiny_deviations_without_epsilon_give_infinities) {
    run r({.flags = 0, .dims = {3, 40}});
    std::vector<double> values(120, 1e-40);
    for (size_t i = 1; i < values.size(); i += 2) values[i] = -1e-40;
    r[SRC].fill(values);
    r.p.epsilon = 0;
    r.execute();
    for (const double got : r.result().values()) EXPECT_TRUE(std::isinf(got));
}

TEST(adversarial, constant_rows_give_exactly_shift) {
    for (const double value : {0.0, 1.0, 0.1, -3e7, 1e30, 1e-40})
        for (const dim_t columns : {1, 2, 7, 100, 4097, 10007})
            for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64}) {
                SCOPED_TRACE(testing::Message() << value << " C " << columns << " type " << type);
                run r({.dims = {2, columns}, .src_type = type, .dst_type = jitnorm_f32});
                r[SRC].fill(std::vector<double>(size_t(2 * columns), value));
                r.execute();
                const std::vector<double> got = r.result().values(), shift = r[SHIFT].values();
                for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], shift[i % size_t(columns)]);
            }
}

// A value that is not finite makes its own row NaN and does not change the bits of others.
TEST(adversarial, not_finite_in_one_row_only) {
    constexpr double INF = std::numeric_limits<double>::infinity(), QUIET = std::numeric_limits<double>::quiet_NaN();
    for (const unsigned flags : {NO_AFFINE, unsigned(jitnorm_rms_norm)})
        for (const dim_t columns : {1, 33, 5000})
            for (const double bad : {INF, -INF, QUIET})
                for (const dim_t place : {dim_t(0), columns / 2, columns - 1}) {
                    SCOPED_TRACE(testing::Message() << bad << " at " << place << " of " << columns << flags);
                    std::vector<double> values = random_values(3 * columns, 1, 2, 14);
                    const std::vector<double> clean = normalize(values, columns, flags).dst;
                    values[size_t(columns + place)] = bad;
                    const std::vector<double> got = normalize(values, columns, flags).dst;
                    for (dim_t i = 0; i < 3 * columns; ++i)
                        if (i / columns == 1)
                            ASSERT_TRUE(std::isnan(got[size_t(i)])) << i;
                        else
                            ASSERT_EQ(got[size_t(i)], clean[size_t(i)]) << i;
                }
}

// Squares of f64 have nowhere to go: the sum is infinite, and only its own row is NaN.
TEST(adversarial, squares_beyond_f64) {
    for (const double large : {1e200, double(INFINITY)}) {
        std::vector<double> values(90, 1);
        values[30] = large;
        values[50] = -large;
        const std::vector<double> got = normalize(values, 30, jitnorm_rms_norm, jitnorm_f64).dst;
        for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(std::isnan(got[i]), i / 30 == 1) << large << " " << i;
    }
}

TEST(adversarial, backward_not_finite_in_one_row_only) {
    run clean({.kind = jitnorm_backward, .dims = {3, 50}}), dirty({.kind = jitnorm_backward, .dims = {3, 50}});
    std::vector<double> diff_dst = dirty[DIFF_DST].values();
    diff_dst[60] = std::numeric_limits<double>::quiet_NaN();
    dirty[DIFF_DST].fill(diff_dst);
    clean.execute();
    dirty.execute();
    const std::vector<double> expected = clean.result().values(), got = dirty.result().values();
    for (size_t i = 0; i < got.size(); ++i)
        if (i / 50 == 1)
            EXPECT_TRUE(std::isnan(got[i]));
        else
            EXPECT_EQ(got[i], expected[i]);
    const std::vector<double> clean_shift = clean[DIFF_SHIFT].values(), dirty_shift = dirty[DIFF_SHIFT].values();
    for (size_t c = 0; c < 50; ++c)
        EXPECT_TRUE(c == 10 ? std::isnan(dirty_shift[c]) : dirty_shift[c] == clean_shift[c]);
}

} // namespace
} // namespace jitnorm::tests
