// SPDX-License-Identifier: Apache-2.0
// lowering: turns an operation and the descriptions of its tensors into a problem. It decides the shapes and strides of
// outputs that the descriptions leave open.
#pragma once

#include "../../dispatch/layout_adapter.hpp"
#include "../operation/norm_op.hpp"

namespace jitnorm::impl::graph {

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

// `inputs` and `outputs` describe the tensors in any order. Returns the statuses of jitnorm_graph_partition_compile.
status lower(const norm_op &op, tensor_list inputs, tensor_list outputs, lowered &result);

} // namespace jitnorm::impl::graph
