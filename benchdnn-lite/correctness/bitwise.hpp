// SPDX-License-Identifier: Apache-2.0
// bitwise: checks whether a result has the same bits in other circumstances: in a second run, with other numbers of
// threads, other instruction sets and the reference implementation, in row-major layouts, not in place, for rows alone
// and in a larger batch. A NaN equals any NaN.
#pragma once

#include "check.hpp"

namespace benchdnn_lite {

// Fills and runs `e`, then compares other executions of its problem with it. Their primitives are created and freed
// here.
check_result check_bits(const execution &e, fill_kind kind, const check_options &options);

} // namespace benchdnn_lite
