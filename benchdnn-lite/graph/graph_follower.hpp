// SPDX-License-Identifier: Apache-2.0
// graph_follower: the operations that the library computes together with a normalization, as the oracle sees them: an
// addition before it, and operations after it.
#pragma once

#include "graph_norm.hpp"

namespace benchdnn_lite {

// The library's number for such a kind of operation; for other kinds, that of the wildcard.
jitnorm_graph_op_kind_t follower_kind(const std::string &name);

// What a partition of these operations computes. The first operation is a normalization, or it is an addition and the
// second one is a normalization. `outputs`: the ids of the tensors that the partition writes. Throws input_error, and
// unsupported if the oracle does not know an operation.
graph_norm understand(const std::vector<const graph_op *> &ops, const std::set<size_t> &outputs);

} // namespace benchdnn_lite
