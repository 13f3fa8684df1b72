// SPDX-License-Identifier: Apache-2.0
// fill: the inputs of an execution. Random rows have a mean and a deviation near 1; adversarial ones are what breaks
// careless arithmetic: a mean far above the deviation, constant rows, an outlier first, tiny and huge values, ramps.
#pragma once

#include "execution.hpp"

namespace benchdnn_lite {

enum class fill_kind { random, adversarial };

const char *name_of(fill_kind kind);

// Fills every input and poisons every pure output.
void fill(const execution &e, fill_kind kind, uint64_t seed);

} // namespace benchdnn_lite
