// SPDX-License-Identifier: Apache-2.0
// lowering: turns an operation and the descriptions of its tensors into a problem. It decides the shapes and strides of
// outputs that the descriptions leave open.
#pragma once

#include "../../dispatch/layout_adapter.hpp"
#include "../operation/norm_op.hpp"

namespace jitnorm::impl::graph {

template <typename Value>
using by_slot = std::array<Value, size_t(FIRST_POST_OP)>;

// A tensor that a post-op of the problem reads.
struct operand {
    size_t post_op; // its number among the problem's post-ops
    logical_tensor tensor;
};

struct lowered {
    layer_norm::problem problem;
    layer_norm::adapted_layouts sides; // the layouts of gamma, beta, their gradients and the statistics
    by_slot<logical_tensor> tensors;   // for the slots that are used, with known shapes and strides
    std::vector<operand> operands;     // the other tensors that followers read
};

using tensor_list = std::span<const logical_tensor *const>;

// `inputs` and `outputs` describe the tensors in any order. The statuses are those of jitnorm_graph_partition_compile.
status lower(const norm_op &op, tensor_list inputs, tensor_list outputs, lowered &result);

} // namespace jitnorm::impl::graph
