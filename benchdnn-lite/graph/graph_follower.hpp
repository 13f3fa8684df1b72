// SPDX-License-Identifier: Apache-2.0
// graph_follower: the operations that the library computes together with a normalization, an addition before it and
// others behind it, in the oracle's words.
#pragma once

#include "graph_norm.hpp"

namespace benchdnn_lite {

// The library's number for a kind of such operations; the wildcard's for others.
jitnorm_graph_op_kind_t follower_kind(const std::string &name);

// What a partition of these operations computes, the first of which is a normalization, or an addition and the second
// one that. outputs: the ids of what the partition writes. Throws input_error, and unsupported where there is no oracle
// for it.
graph_norm understand(const std::vector<const graph_op *> &ops, const std::set<size_t> &outputs);

} // namespace benchdnn_lite
