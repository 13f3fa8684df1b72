// SPDX-License-Identifier: Apache-2.0
// partition: the object behind the C interface's handle: one operation or several that are computed as one, and the
// normalization that they describe.
#pragma once

#include <memory>

#include "operation/norm_op.hpp"

namespace jitnorm::impl::graph {

// Immutable, and shared by the handles of the partition and of all that is compiled from it.
struct partition_content {
    std::vector<jitnorm_graph_op> ops;           // in an order in which they can be executed
    std::vector<logical_tensor> inputs, outputs; // without the tensors that pass from one operation to another
    std::optional<norm_op> norm;                 // none if the partition is not supported
    jitnorm_engine_kind_t engine_kind;
    size_t id;

    std::string name() const; // the operations' names, with + between them
};

using partition_pointer = std::shared_ptr<const partition_content>;

// Makes a partition with an id that no other partition of the process has.
partition_pointer make_partition(std::vector<jitnorm_graph_op> ops, const std::optional<norm_op> &norm,
                                 jitnorm_engine_kind_t engine_kind);

} // namespace jitnorm::impl::graph

struct jitnorm_graph_partition {
    jitnorm::impl::graph::partition_pointer content;
};
