// SPDX-License-Identifier: Apache-2.0
// accuracy: compares results with the answers of benchdnn-lite's oracle, which shares no code with src/. Only the
// oracle checks accuracy; the reference checks the bits (equality.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "correctness/solve.hpp"
#include "jitnorm/jitnorm_types.h"
#include "tensor.hpp"

namespace jitnorm::tests {

using benchdnn_lite::answers, benchdnn_lite::expectations, benchdnn_lite::oracle_problem;

// Half an ulp of the type, relative: the addend for rounding to the type. The bound of the normalized error covers the
// rounding to f32.
inline double rounding_of(jitnorm_data_type_t type) {
    return type == jitnorm_bf16 ? 0x1p-8 : type == jitnorm_f16 ? 0x1p-11 : 0;
}

inline double largest(const std::vector<double> &numbers) {
    double result = 0;
    for (const double value : numbers) result = std::fmax(result, std::fabs(value));
    return result;
}

// The oracle's answers without their tolerances.
struct exact_results {
    std::vector<double> mean, variance, dst, diff_src, diff_scale, diff_shift;
};

inline exact_results exact_results_of(const oracle_problem &q) {
    const answers all = solve(q);
    const auto values = [](const expectations &of) {
        std::vector<double> result;
        for (const benchdnn_lite::expectation &e : of) result.push_back(double(e.value));
        return result;
    };
    return {values(all.mean),     values(all.variance),   values(all.dst),
            values(all.diff_src), values(all.diff_scale), values(all.diff_shift)};
}

// max |got - expected| / max |expected| over one row: the error that the documented bounds speak of. Infinite where
// one side is NaN or infinite and the other is not equal to it.
template <typename Real, typename Got>
Real normalized_error(const Got *got, const Real *expected, size_t count) {
    Real worst = 0, largest = 0;
    for (size_t i = 0; i < count; ++i) {
        if (std::isnan(expected[i]) && std::isnan(Real(got[i]))) continue;
        if (Real(got[i]) == expected[i]) {
            if (std::isfinite(expected[i])) largest = std::fmax(largest, std::fabs(expected[i]));
            continue;
        }
        const Real error = std::fabs(Real(got[i]) - expected[i]);
        if (!std::isfinite(error)) return Real(INFINITY);
        worst = std::fmax(worst, error);
        largest = std::fmax(largest, std::fabs(expected[i]));
    }
    return worst == 0 ? Real(0) : worst / largest;
}

// The normalized error of each row is at most `bound`.
inline void expect_close(const std::vector<double> &got, const std::vector<double> &expected, size_t columns,
                         double bound) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t row = 0; columns != 0 && row < got.size() / columns; ++row)
        EXPECT_LE(normalized_error(&got[row * columns], &expected[row * columns], columns), bound) << "row " << row;
}

// Each value to `bound` of the largest one, and half an ulp of the tensor's type.
inline void expect_near(const tensor &got, const std::vector<double> &expected, double bound) {
    const std::vector<double> values = got.values();
    ASSERT_EQ(values.size(), expected.size());
    const double size = largest(expected), rounding = rounding_of(got.md().data_type);
    for (size_t i = 0; i < values.size(); ++i)
        ASSERT_LE(std::fabs(values[i] - expected[i]), bound * size + rounding * std::fabs(expected[i]))
            << "element " << i << " of " << values.size();
}

} // namespace jitnorm::tests
