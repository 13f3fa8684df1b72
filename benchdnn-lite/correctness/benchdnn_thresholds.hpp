// SPDX-License-Identifier: Apache-2.0
// benchdnn_thresholds: how oneDNN's benchdnn judges layer normalization. Forward each element has a relative threshold,
// and is excused for what scales and post-operations add; backward the norm of a tensor's errors has one. Statistics
// must be exact.
#pragma once

#include "../problem/execution.hpp"
#include "compare.hpp"

namespace benchdnn_lite {

acceptance benchdnn_acceptance(const execution &e, const argument &output);

} // namespace benchdnn_lite
