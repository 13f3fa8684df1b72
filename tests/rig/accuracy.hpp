// SPDX-License-Identifier: Apache-2.0
// accuracy: judges what a run wrote by the oracle's answer.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "oracle.hpp"
#include "problems.hpp"

namespace jitnorm::tests {

// What rounding to the type adds to the bound of the normalized error: half an ulp of the largest value.
inline double rounding_of(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_bf16:
        return 0x1p-8;
    case jitnorm_f16:
        return 0x1p-11;
    default:
        return 0;
    }
}

// Whether results are judged by the precision of f64: if all tensors of rows are f64. All others are judged by the
// precision of f32.
inline bool is_double(const setup &s) {
    return s.src_type == jitnorm_f64 && s.dst_type == jitnorm_f64 &&
           (s.kind == jitnorm_forward_training || s.kind == jitnorm_forward_inference ||
            s.diff_src_type == jitnorm_f64);
}

template <typename Real>
void expect_close(const std::vector<double> &got, const std::vector<Real> &expected, size_t columns, double bound) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t row = 0; columns != 0 && row < got.size() / columns; ++row)
        EXPECT_LE(double(normalized_error(&got[row * columns], &expected[row * columns], columns)), bound)
            << "row " << row;
}

} // namespace jitnorm::tests
