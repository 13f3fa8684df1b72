// SPDX-License-Identifier: Apache-2.0
// graph_follower: the operations that the library computes together with the normalization before them, in the oracle's
// words.
#pragma once

#include "graph_norm.hpp"

namespace benchdnn_lite {

// The library's number for a kind of such operations; the wildcard's for others.
jitnorm_graph_op_kind_t follower_kind(const std::string &name);

// What a partition of these operations computes, the first of which is a normalization. Throws input_error, and
// unsupported where there is no oracle for it.
graph_norm understand(const std::vector<const graph_op *> &ops);

} // namespace benchdnn_lite
