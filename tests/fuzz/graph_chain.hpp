// SPDX-License-Identifier: Apache-2.0
// graph_chain: operations around a normalization, some of which can be fused with it.
#pragma once

#include "graph_choice.hpp"

namespace jitnorm::fuzz {

// An addition before the operation, and up to four behind it. Their tensors are added to those of `what`, for
// compilation; the ids count from 200.
std::vector<graph_op> choose_chain(byte_stream &choices, graph_choice &what);

} // namespace jitnorm::fuzz
