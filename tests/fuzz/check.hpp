// SPDX-License-Identifier: Apache-2.0
// check: compares results with the formulas of docs/arithmetic.md in long double. They are benchdnn-lite's oracle,
// which shares no code with src/. Tensors are dense here, in row-major order.
#pragma once

#include <optional>

#include "correctness/solve.hpp"
#include "problem/buffer.hpp"

namespace jitnorm::fuzz {

using benchdnn_lite::answers, benchdnn_lite::expectations, benchdnn_lite::oracle_problem;
using benchdnn_lite::broadcast, benchdnn_lite::layout;
using numbers = std::vector<double>;

// The tensor's elements, from `base` on.
numbers read(const layout &where, const void *base);

// The bits of the sums of src, a residual and a bias for each element, which are normalized.
numbers sum_of(const numbers &src, const numbers &residual, const numbers &bias, bool in_double);
numbers rounded(numbers values, jitnorm_data_type_t type);
expectations exactly(const numbers &values); // but for the rounding to a tensor's type
// As an inverse deviation that was given says it, without epsilon; NaN where it is not positive, as none is.
numbers variances_of(numbers inverse_deviations);

// Nothing where the problem is ill-conditioned: numbers of extreme size, almost constant rows.
std::optional<answers> conditioned_answers(const oracle_problem &q);

// Checks the scales that the library has found, each for `width` values, and divides the values by them.
void require_scales(const char *what, expectations &values, size_t width, jitnorm_data_type_t to, const numbers &found);

// Fails unless each number, which was stored in the type, is within the tolerance of what is expected.
void require_near(const char *what, const expectations &expected, jitnorm_data_type_t type, const numbers &got,
                  double unit);

bool are_ordinary(const numbers &values); // zeros, and numbers whose squares and sums do not overflow

} // namespace jitnorm::fuzz
