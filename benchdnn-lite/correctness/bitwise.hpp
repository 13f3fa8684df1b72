// SPDX-License-Identifier: Apache-2.0
// bitwise: whether a result has the same bits in other circumstances: once more, with other numbers of threads, other
// instruction sets, the reference implementation, another layout, not in place, rows alone and in a larger batch. A NaN
// equals any NaN.
#pragma once

#include "check.hpp"

namespace benchdnn_lite {

// The other primitives are created and freed on the way.
check_result check_bits(const execution &e, fill_kind kind, const check_options &options);

} // namespace benchdnn_lite
