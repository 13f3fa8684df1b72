// SPDX-License-Identifier: Apache-2.0
// fill_ties: inputs whose normalized values are exact, and lie half way between two values of the type of dst.
//
// The reciprocal of the deviation is 1. Given statistics make it so (mean 0, variance 1 - epsilon). Rows whose
// statistics are computed consist of 1, -1 and 0 in the proportion 15 : 15 : 2: their mean is 0 and their variance
// 15/16, to which the default epsilon adds 1/16.
#pragma once

#include "../problem/execution.hpp"

namespace benchdnn_lite {

void fill_ties(const execution &e, uint64_t seed);

} // namespace benchdnn_lite
