// SPDX-License-Identifier: Apache-2.0
// Backward by the implementation that a user gets, of very many rows, with whose number the error of the gradients must
// not grow.
#include <cmath>

#include "dispatch/prepare.hpp"
#include "support/run.hpp"

#include <gtest/gtest.h>

namespace jitnorm::tests {
namespace {

constexpr dim_t OUTER = 10000, INNER = 1000, COLUMNS = 16;

std::vector<float> random_floats(dim_t count, double mean, double deviation, unsigned seed) {
    const std::vector<double> values = random_values(count, mean, deviation, seed);
    return {values.begin(), values.end()};
}

// The sum over all rows of a column of (value - mean) / deviation.
template <typename Deviation>
long double sum_of(const std::vector<float> &values, size_t column, float mean, Deviation &&deviation) {
    long double sum = 0;
    for (size_t row = 0; row < values.size() / COLUMNS; ++row)
        sum += (static_cast<long double>(values[row * COLUMNS + column]) - mean) / deviation(row);
    return sum;
}

// From little memory: 1000 rows of src for each of 10000 rows of diff_dst, by strides of 0. So diff_scale is the
// product of two sums.
TEST(gradients_of_scale_and_shift, ten_million_rows) {
    std::vector<float> src = random_floats(INNER * COLUMNS, 1, 2, 7),
                       diff_dst = random_floats(OUTER * COLUMNS, 0.5, 1, 8), mean(INNER, 1), variance;
    for (dim_t i = 0; i < INNER; ++i) variance.push_back(2 + float(i % 7));
    std::vector<uint16_t> diff_src(OUTER * INNER * COLUMNS);
    run r({.kind = jitnorm_backward, .dims = {1, 1, COLUMNS}});
    const std::vector<dim_t> dims = {OUTER, INNER, COLUMNS};
    r.p[SRC] = make_layout("0,16,1", dims, jitnorm_f32);
    r.p[DIFF_DST] = make_layout("16,0,1", dims, jitnorm_f32);
    r.p[DIFF_SRC] = dense(dims, jitnorm_bf16);
    r.p[VARIANCE] = make_layout("0,1", {OUTER, INNER}, jitnorm_f32);
    r[SRC] = tensor(r.p[SRC], src.data());
    r[DIFF_DST] = tensor(r.p[DIFF_DST], diff_dst.data());
    r[DIFF_SRC] = tensor(r.p[DIFF_SRC], diff_src.data());
    r[MEAN] = tensor(r.p[VARIANCE], mean.data());
    r[VARIANCE] = tensor(r.p[VARIANCE], variance.data());
    r[SCALE].fill(std::vector<double>(COLUMNS, 1));
    r.execute_on(*impl::layer_norm::choose(r.p));
    const std::vector<double> diff_scale = r[DIFF_SCALE].values(), diff_shift = r[DIFF_SHIFT].values();
    for (size_t c = 0; c < COLUMNS; ++c) {
        const long double shift = sum_of(diff_dst, c, 0, [](size_t) { return 1; });
        const long double xhat = sum_of(
            src, c, 1, [&](size_t row) { return std::sqrt(static_cast<long double>(variance[row]) + r.p.epsilon); });
        EXPECT_NEAR(double(diff_shift[c] / (shift * INNER)), 1, 1e-6) << c;
        EXPECT_NEAR(double(diff_scale[c] / (shift * xhat)), 1, 1e-6) << c;
    }
}

} // namespace
} // namespace jitnorm::tests
