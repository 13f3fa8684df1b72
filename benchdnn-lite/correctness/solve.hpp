// SPDX-License-Identifier: Apache-2.0
// solve: the results of a problem of dense rows by the oracle's formulas, all at once: for graphs, and for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "oracle.hpp"

namespace benchdnn_lite {

using expectations = std::vector<expectation>;

// A problem of dense rows. What it does not have is empty.
struct oracle_problem {
    size_t rows = 0, columns = 0;
    bool in_double = false; // whether double computes the results, which only changes tolerances
    unsigned flags = 0;     // jitnorm_normalization_flags_t
    double epsilon = 0;
    rounded_types rounded = {};
    std::vector<double> src;
    std::vector<double> scale, shift;   // for each column, or for each element of src, as the tensor holds it
    std::vector<size_t> group;          // of each row: those whose gradients are summed up; empty: all are one group
    std::vector<double> mean, variance; // one for each row; inputs of backward, and of forward with global statistics
    std::vector<double> diff_dst, diff_sum; // backward; diff_sum is added to diff_src

    bool has(jitnorm_normalization_flags_t flag) const { return (flags & unsigned(flag)) != 0; }
    bool is_backward() const { return !diff_dst.empty(); }
    size_t groups() const { return group.empty() ? 1 : *std::max_element(group.begin(), group.end()) + 1; }
    double unit() const { return in_double ? F64_ERROR : F32_ERROR; }
};

struct answers {
    expectations mean, variance, inverse_deviation, dst;
    expectations diff_src, diff_scale, diff_shift;
};

answers solve(const oracle_problem &q);

// The inputs of one row, its statistics included.
row_inputs row_of(const oracle_problem &q, size_t row);

// One step after the normalization; `operand` has the second operands, or what a sum finds in dst. `unit`: F32_ERROR or
// F64_ERROR.
void apply(std::span<expectation> values, const post_op &step, std::span<const double> operand, double unit);

// The steps after the normalization up to a static scale of dst, in their order (docs/arithmetic.md). `operand(i)` is
// what post-op i reads beside the values, a span or a vector. `see(argument)` is called when the values are those of a
// further output, which the problem may have or not.
template <typename Operand, typename See>
void apply_attributes(std::span<expectation> values, const attributes &attr, double unit, Operand &&operand,
                      See &&see) {
    const auto multiply = [&](real factor) {
        for (expectation &e : values) e = scaled(e, factor, unit);
    };
    if (attr.scales.src) multiply(*attr.scales.src);
    see(JITNORM_ARG_DST_2);
    for (size_t i = 0; i < attr.post_ops.size(); ++i) apply(values, attr.post_ops[i], operand(i), unit);
    if (attr.scales.dst) multiply(held({1 / real(*attr.scales.dst), 0}, unit).value); // as the compute type has it
}

} // namespace benchdnn_lite
