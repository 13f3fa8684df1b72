// SPDX-License-Identifier: Apache-2.0
// fill_benchdnn: the data that oneDNN's benchdnn normalizes. Forward, means are powers of two, and neighbours in a row
// lie symmetrically around the mean, with so few bits that sums are exact in any order. Backward, deviations are 1 and
// gradients are powers of two.
#pragma once

#include "../problem/execution.hpp"

namespace benchdnn_lite {

void fill_as_benchdnn(const execution &e);

} // namespace benchdnn_lite
