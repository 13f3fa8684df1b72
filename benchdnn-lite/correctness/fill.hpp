// SPDX-License-Identifier: Apache-2.0
// fill: fills the inputs of an execution.
//   random       rows with a mean and a deviation near 1
//   adversarial  values that break careless arithmetic: a mean far above the deviation, constant rows, an outlier at
//                the beginning, tiny, denormal and huge values, ramps
//   ties         forward into a narrow type: results that are exact until they are rounded to the type of dst, and lie
//                half way between two of its values
#pragma once

#include "../problem/execution.hpp"

namespace benchdnn_lite {

enum class fill_kind { random, adversarial, ties };

const char *name_of(fill_kind kind);

// Whether `ties` can fill the inputs of a problem.
bool has_ties(const problem &p);

// Fills every input and poisons every pure output.
void fill(const execution &e, fill_kind kind, uint64_t seed);

// Sets all bytes of the arguments, except for scratchpads and scales, to one value, whatever their types. It makes a
// small positive number in every floating-point type.
void fill_with_constant(const execution &e);

} // namespace benchdnn_lite
