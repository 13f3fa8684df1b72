// SPDX-License-Identifier: Apache-2.0
// partition as the C interface's handle knows it: one operation or several that are computed as one, and what is
// understood of them.
#pragma once

#include <memory>

#include "operation/norm_op.hpp"

namespace jitnorm::impl::graph {

// Immutable; shared by what is compiled from it.
struct partition_content {
    std::vector<jitnorm_graph_op> ops;           // in an order to execute them
    std::vector<logical_tensor> inputs, outputs; // of all but what passes between them
    std::optional<norm_op> norm;                 // none: not supported
    jitnorm_engine_kind_t engine_kind;
    size_t id;

    std::string name() const; // the operations' names
};

using partition_pointer = std::shared_ptr<const partition_content>;

// With an id that no other partition of the process has.
partition_pointer make_partition(std::vector<jitnorm_graph_op> ops, const std::optional<norm_op> &norm,
                                 jitnorm_engine_kind_t engine_kind);

} // namespace jitnorm::impl::graph

struct jitnorm_graph_partition {
    jitnorm::impl::graph::partition_pointer content;
};
