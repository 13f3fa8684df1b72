// SPDX-License-Identifier: Apache-2.0
// fill_ties: inputs whose normalized values are exact, and lie half way between two values of dst.
//
// The reciprocal deviation is 1: given statistics say so (mean 0, variance 1 - epsilon), or the rows are made of
// fifteen times +-1 and a 0 in any order, whose mean is 0 and whose variance is 15/16, for the default epsilon of 1/16.
#pragma once

#include "../problem/execution.hpp"

namespace benchdnn_lite {

void fill_ties(const execution &e, uint64_t seed);

} // namespace benchdnn_lite
