// SPDX-License-Identifier: Apache-2.0
// accuracy: judges results by the oracle's answer.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "jitnorm/jitnorm_types.h"
#include "oracle.hpp"

namespace jitnorm::tests {

// Half an ulp of the type, relative.
inline double half_ulp(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_bf16:
        return 0x1p-8;
    case jitnorm_f16:
        return 0x1p-11;
    default:
        return 0x1p-24;
    }
}

// What rounding to the type adds to the bound of the normalized error, which covers the rounding to f32.
inline double rounding_of(jitnorm_data_type_t type) {
    return type == jitnorm_bf16 || type == jitnorm_f16 ? half_ulp(type) : 0;
}

inline double largest(const std::vector<double> &numbers) {
    double result = 0;
    for (const double value : numbers) result = std::fmax(result, std::fabs(value));
    return result;
}

// The normalized error of each row is at most `bound`.
template <typename Real>
void expect_close(const std::vector<double> &got, const std::vector<Real> &expected, size_t columns, double bound) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t row = 0; columns != 0 && row < got.size() / columns; ++row)
        EXPECT_LE(double(normalized_error(&got[row * columns], &expected[row * columns], columns)), bound)
            << "row " << row;
}

// |got - expected| <= bound * scale for all elements; NaN fails.
inline void expect_all_close(const std::vector<double> &got, const std::vector<double> &expected, double bound,
                             double scale, const std::string &what) {
    ASSERT_EQ(got.size(), expected.size()) << what;
    for (size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(std::fabs(got[i] - expected[i]) <= bound * scale)
            << what << " at " << i << ": " << got[i] << " for " << expected[i] << ", allowed " << bound * scale;
}

} // namespace jitnorm::tests
