// SPDX-License-Identifier: Apache-2.0
// lowering: from an operation and the descriptions of its tensors to a problem. Whatever is unknown of an output is
// decided on the way.
#pragma once

#include "../../primitive/layout_adapter.hpp"
#include "../operation/norm_op.hpp"

namespace jitnorm::impl::graph {

template <typename Value>
using by_role = std::array<Value, size_t(ROLE_COUNT)>;

// A tensor that a post-operation of the problem reads.
struct operand {
    size_t post_op;
    logical_tensor tensor;
};

struct lowered {
    layer_norm::problem problem;
    layer_norm::adapted_layouts sides;
    by_role<logical_tensor> tensors; // of the roles that are used; shapes and strides known
    std::vector<operand> operands;   // the other tensors of followers
};

using tensor_list = std::span<const logical_tensor *const>;

// The statuses are those of jitnorm_graph_partition_compile.
verdict lower(const norm_op &op, tensor_list inputs, tensor_list outputs, lowered &result);

} // namespace jitnorm::impl::graph
