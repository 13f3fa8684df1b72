// SPDX-License-Identifier: Apache-2.0
// whole_gradient: what gradients are judged by: the oracle's answer, from given statistics or from src alone, and the
// errors that the types of the tensors explain.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rig/accuracy.hpp"

namespace jitnorm::tests {

using values = std::vector<double>;

inline double smallest(const values &v) { return v.empty() ? 0 : *std::min_element(v.begin(), v.end()); }

// The size of diff_src's terms, before they cancel each other: rstd * |g|, at its largest.
inline double scale_of_diff_src(const oracle_problem<double> &q) {
    return largest(q.diff_dst) * (q.scale.empty() ? 1 : largest(q.scale)) / std::sqrt(smallest(q.variance) + q.epsilon);
}

// Statistics of src without rounding.
inline void use_exact_statistics(oracle_problem<double> &q) {
    const oracle_forward_result<double> forward = oracle_forward(q);
    q.mean = forward.mean;
    q.variance = forward.variance;
}

// What the rounding of statistics does to gradients: it moves rows by half an ulp of the mean, in units of the
// deviation, and stretches them by half an ulp.
inline double effect_of_rounded_statistics(const oracle_problem<double> &q, jitnorm_data_type_t type) {
    const double rstd = 1 / std::sqrt(smallest(q.variance) + q.epsilon);
    return 4 * half_ulp(type) * (1 + largest(q.mean) * rstd);
}

struct gradients {
    values diff_src, diff_scale, diff_shift; // empty: not there
};

// Judges what is there. `bound` covers everything but the rounding to the gradients' types.
inline void expect_gradients(const gradients &got, const oracle_problem<double> &q, double bound,
                             jitnorm_data_type_t data_type, jitnorm_data_type_t side_type, const std::string &what) {
    const oracle_backward_result<double> expected = oracle_backward(q);
    const double terms = scale_of_diff_src(q), sums = largest(q.diff_dst) * double(std::max<size_t>(q.rows, 1));
    if (!got.diff_src.empty())
        expect_all_close(got.diff_src, expected.diff_src, bound + half_ulp(data_type), 3 * terms, what + ": diff_src");
    const double deviations = std::sqrt(double(q.columns)); // no element is further from the mean
    if (!got.diff_scale.empty())
        expect_all_close(got.diff_scale, expected.diff_scale, bound + half_ulp(side_type), sums * deviations,
                         what + ": diff_gamma");
    if (!got.diff_shift.empty())
        expect_all_close(got.diff_shift, expected.diff_shift, bound + half_ulp(side_type), sums, what + ": diff_beta");
}

} // namespace jitnorm::tests
