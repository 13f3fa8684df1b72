// SPDX-License-Identifier: Apache-2.0
// compiled_partition: the object behind the C interface's handle: a partition and, once it is compiled, the program
// that executes it.
#pragma once

#include "../dispatch/ready_call.hpp"
#include "../norm/aliases.hpp"
#include "graph.hpp"
#include "lowering/lowering.hpp"
#include "operation/op.hpp"

namespace jitnorm::impl::graph {

using tensor_handles = std::span<const const_jitnorm_graph_tensor_t>;

// A partition that is compiled for tensors of given shapes and layouts. Immutable, except for remember().
class program {
public:
    program(partition_pointer partition, std::vector<placed_tensor> tensors,
            std::shared_ptr<const layer_norm::ready_call> call);

    // Keeps the description of a tensor that the partition mentions but does not use, so that find() knows it.
    void remember(const logical_tensor &given);

    // Finds the tensors that it needs by their ids, in any order. `scratchpad` may be null.
    status execute(const jitnorm_stream &stream, tensor_handles inputs, tensor_handles outputs,
                   const jitnorm_graph_tensor *scratchpad) const;

    // The scratchpad that a caller may give. It has no elements if none is needed.
    logical_tensor scratchpad() const;

    // The description of a tensor; null if the partition does not mention it or compilation was not given it.
    const logical_tensor *find(size_t id) const;
    std::span<const jitnorm_graph_inplace_pair_t> inplace_pairs() const { return inplace_; }

private:
    const norm_op &op() const { return *partition_->norm; }
    status collect(tensor_handles inputs, tensor_handles outputs, layer_norm::arguments &args) const;
    status take_scratchpad(const jitnorm_graph_tensor *given, layer_norm::arguments &args) const;
    void find_inplace_pairs();

    partition_pointer partition_;
    std::vector<placed_tensor> tensors_;
    std::vector<logical_tensor> others_; // of remember()
    std::shared_ptr<const layer_norm::ready_call> call_;
    layer_norm::alias_check aliases_;
    std::vector<jitnorm_graph_inplace_pair_t> inplace_;
};

} // namespace jitnorm::impl::graph

struct jitnorm_graph_compiled_partition {
    jitnorm::impl::graph::partition_pointer partition;
    std::unique_ptr<const jitnorm::impl::graph::program> program; // null until compiled

    jitnorm::impl::status compile(jitnorm::impl::graph::tensor_list inputs, jitnorm::impl::graph::tensor_list outputs);
};
