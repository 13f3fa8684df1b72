// SPDX-License-Identifier: Apache-2.0
// The definition's accuracy where others lose it: large means, tiny deviations, steps, values that are not finite. The
// bound of docs/arithmetic.md: max |got - exact| / max |exact| <= 1e-6 in each row. benchdnn-lite's files are executed
// on outliers, huge, tiny and denormal values; tests/kernel/test_limits.cpp has constant rows and no epsilon.
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

} // namespace
} // namespace jitnorm::tests
