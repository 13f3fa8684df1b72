// SPDX-License-Identifier: Apache-2.0
// benchdnn_thresholds: judges layer normalization as oneDNN's benchdnn does. Forward, each element has a relative
// threshold, which elements may exceed after scales and post-operations, and statistics must be exact. Backward, the
// norm of a tensor's errors has a threshold.
#pragma once

#include "../problem/execution.hpp"
#include "compare.hpp"

namespace benchdnn_lite {

acceptance benchdnn_acceptance(const execution &e, const argument &output);

} // namespace benchdnn_lite
