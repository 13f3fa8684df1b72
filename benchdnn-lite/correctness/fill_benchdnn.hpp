// SPDX-License-Identifier: Apache-2.0
// fill_benchdnn: the data that oneDNN's benchdnn normalizes. Means are powers of two and neighbours in a row lie
// symmetrically around them with few bits, so that sums come out exact in whatever order; backward, deviations are 1
// and gradients powers of two.
#pragma once

#include "../problem/execution.hpp"

namespace benchdnn_lite {

void fill_as_benchdnn(const execution &e);

} // namespace benchdnn_lite
