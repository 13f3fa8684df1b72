// SPDX-License-Identifier: Apache-2.0
// lowering_tensors: what lowering asks of one tensor, whatever its role.
#pragma once

#include "lowering.hpp"

namespace jitnorm::impl::graph {

constexpr verdict misfit(const char *reason) { return {jitnorm_invalid_shape, reason}; }

// The tensor that the port means, among those given; `name` is for the reason. Of an input the shape must be known.
verdict take_tensor(const port &p, const char *name, tensor_list given, logical_tensor &lt);

// Whether the tensor has these dimensions. What may be unknown is set.
bool fits(logical_tensor &lt, std::span<const dim_t> dims, bool may_be_unknown);

// A dimension of 1 before the others. Of its single index there is no next one, so where the stride would not fit any
// other does.
bool prepend_one(memory_desc &md);

// The second tensor of an operation that follows: as one of src's dimensions, or 1, `rank` of them. A layout that is
// left open becomes dense.
verdict describe_operand(logical_tensor &operand, const logical_tensor &src, int rank, memory_desc &md);

} // namespace jitnorm::impl::graph
