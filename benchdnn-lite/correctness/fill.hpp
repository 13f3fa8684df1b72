// SPDX-License-Identifier: Apache-2.0
// fill: the inputs of an execution.
//   random       rows with a mean and a deviation near 1
//   adversarial  what breaks careless arithmetic: a mean far above the deviation, constant rows, an outlier first,
//   tiny,
//                denormal and huge values, ramps
//   ties         forward into a narrow type: values that are exact until the last rounding, which they hit half way
//   benchdnn     oneDNN benchdnn's: statistics that are exact in any order of summation
#pragma once

#include "../problem/execution.hpp"

namespace benchdnn_lite {

enum class fill_kind { random, adversarial, ties, benchdnn };

const char *name_of(fill_kind kind);

// Whether ties can be made for a problem.
bool has_ties(const problem &p);

// Fills every input and poisons every pure output.
void fill(const execution &e, fill_kind kind, uint64_t seed);

// One byte in every input, whatever its type.
void fill_with_constant(const execution &e);

} // namespace benchdnn_lite
