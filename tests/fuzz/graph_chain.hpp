// SPDX-License-Identifier: Apache-2.0
// graph_chain: operations around a normalization, some of which can be fused with it.
#pragma once

#include "graph_choice.hpp"

namespace jitnorm::fuzz {

// The surroundings of the operation. Chosen before it, so that short inputs have some, too.
struct surroundings {
    bool is_in_graph = false, has_addition = false;
    bool has_second = false;             // another normalization
    std::vector<const char *> followers; // kinds, at most 6
};
surroundings choose_surroundings(byte_stream &choices);

// The addition before the operation, and the operations after it. Adds their tensors to `what`, for compilation; ids
// count from 200.
std::vector<graph_op> choose_chain(byte_stream &choices, const surroundings &around, graph_choice &what);

} // namespace jitnorm::fuzz
