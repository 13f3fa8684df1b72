// SPDX-License-Identifier: Apache-2.0
// oracle: the exact results of a layer normalization, in long double, by the formulas of benchdnn-lite's oracle, which
// shares no code with src/. It is the only judge of accuracy; the bits are judged by the reference (equality.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "correctness/oracle.hpp"

namespace jitnorm::tests {

using expectations = std::vector<benchdnn_lite::expectation>;

// A problem of dense rows. What it does not have is empty.
struct oracle_problem {
    size_t rows = 0, columns = 0;
    bool in_double = false; // what the results are computed in, which decides about tolerances alone
    unsigned flags = 0;     // jitnorm_normalization_flags_t
    double epsilon = 0;
    std::vector<double> src;
    std::vector<double> scale, shift;   // for each column, or for each element of src, as the tensor holds it
    std::vector<size_t> group;          // of each row: those whose gradients are summed up; empty: all are one group
    std::vector<double> mean, variance; // one for each row; inputs of backward, and of forward with global statistics
    std::vector<double> diff_dst, diff_sum; // backward; diff_sum is added to diff_src

    bool has(jitnorm_normalization_flags_t flag) const { return (flags & unsigned(flag)) != 0; }
    bool is_backward() const { return !diff_dst.empty(); }
    size_t groups() const { return group.empty() ? 1 : *std::max_element(group.begin(), group.end()) + 1; }
    double unit() const { return in_double ? benchdnn_lite::F64_ERROR : benchdnn_lite::F32_ERROR; }
};

struct answers {
    expectations mean, variance, inverse_deviation, dst;
    expectations diff_src, diff_scale, diff_shift;
};

answers solve(const oracle_problem &q);

// The inputs of one row, its statistics included.
benchdnn_lite::row_inputs row_of(const oracle_problem &q, size_t row);

} // namespace jitnorm::tests
