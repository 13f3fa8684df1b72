// SPDX-License-Identifier: Apache-2.0
// graph_check: compares the outputs of an executed operation with the oracle.
#pragma once

#include "../correctness/compare.hpp"
#include "graph_memory.hpp"

namespace benchdnn_lite {

// One comparison for each output that is written.
std::vector<comparison> check_graph_op(const graph_norm &n, const graph_memory &memory);

} // namespace benchdnn_lite
