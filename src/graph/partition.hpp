// SPDX-License-Identifier: Apache-2.0
// partition as the C interface's handle knows it: one operation, and what is understood of it.
#pragma once

#include <memory>

#include "norm_op.hpp"

namespace jitnorm::impl::graph {

// Immutable; shared by what is compiled from it.
struct partition_content {
    jitnorm_graph_op op;
    std::optional<norm_op> norm; // none: not supported
    jitnorm_engine_kind_t engine_kind;
    size_t id;
};

using partition_pointer = std::shared_ptr<const partition_content>;

// With an id that no other partition of the process has.
partition_pointer make_partition(const jitnorm_graph_op &op, const std::optional<norm_op> &norm,
                                 jitnorm_engine_kind_t engine_kind);

} // namespace jitnorm::impl::graph

struct jitnorm_graph_partition {
    jitnorm::impl::graph::partition_pointer content;
};
