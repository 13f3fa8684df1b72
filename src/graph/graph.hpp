// SPDX-License-Identifier: Apache-2.0
// graph: the objects behind the handles of graphs and of partitions in the C interface. A graph takes operations until
// it is finalized, and then has their partitions. A partition is lowered to a problem.
#pragma once

#include <memory>

#include "../dispatch/layout_adapter.hpp"
#include "jitnorm/jitnorm_debug.h"
#include "operation/norm_op.hpp"

namespace jitnorm::impl::graph {

// One operation or several that are computed as one, and the normalization that they describe. Immutable, and shared by
// the handles of the partition and of all that is compiled from it.
struct partition_content {
    std::vector<jitnorm_graph_op> ops;           // in an order in which they can be executed
    std::vector<logical_tensor> inputs, outputs; // without the tensors that pass from one operation to another
    std::optional<norm_op> norm;                 // none if the partition is not supported
    jitnorm_engine_kind_t engine_kind;
    size_t id;
};

using partition_pointer = std::shared_ptr<const partition_content>;

// ---- lowering (lowering.cpp)

// A tensor in its slot of the problem, with known shape and strides.
struct placed_tensor {
    slot place;
    bool is_input;
    logical_tensor tensor;
};

struct lowered {
    layer_norm::problem problem; // before layer_norm::complete()
    layer_norm::adapted_layouts layouts;
    std::vector<placed_tensor> tensors; // in the order of their slots
};

using tensor_list = std::span<const logical_tensor *const>;

// Decides the shapes and strides of outputs that the descriptions leave open. `inputs` and `outputs` describe the
// tensors in any order. Returns the statuses of jitnorm_graph_partition_compile.
status lower(const norm_op &op, tensor_list inputs, tensor_list outputs, lowered &result);

constexpr status FINALIZED{jitnorm_invalid_graph, "the graph is finalized"};

inline status no_engine(jitnorm_engine_kind_t kind) {
    return invalid(explain("there is no engine of kind %s; cpu is expected", jitnorm_engine_kind2str(kind)));
}

} // namespace jitnorm::impl::graph

struct jitnorm_graph_partition {
    jitnorm::impl::graph::partition_pointer content;
};

struct jitnorm_graph_graph {
    using status = jitnorm::impl::status;

    jitnorm_engine_kind_t engine_kind;
    jitnorm_fpmath_mode_t fpmath_mode;
    int fpmath_applies_to_int = 0;
    bool is_finalized = false;
    std::vector<jitnorm::impl::graph::partition_pointer> partitions; // empty until the graph is filtered

    jitnorm_graph_graph(jitnorm_engine_kind_t kind, jitnorm_fpmath_mode_t mode)
        : engine_kind(kind), fpmath_mode(mode) {}

    status add(const jitnorm_graph_op &op);
    status finalize();
    void filter(jitnorm_graph_partition_policy_t policy); // makes the partitions of a finalized graph

private:
    std::vector<jitnorm_graph_op> ops_; // in a finalized graph each is after those whose outputs it reads
};
