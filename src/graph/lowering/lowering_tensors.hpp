// SPDX-License-Identifier: Apache-2.0
// lowering_tensors: the parts of lowering that deal with one tensor, whatever its slot.
#pragma once

#include "lowering.hpp"

namespace jitnorm::impl::graph {

constexpr status misfit(const char *reason) { return {jitnorm_invalid_shape, reason}; }

// Finds the tensor with the port's id among those given, and copies its description to `lt`. Fails if the tensor is
// missing, has another type than the port, or is an input of unknown shape. `name` is the tensor's name in the reason.
status take_tensor(const port &p, const char *name, tensor_list given, logical_tensor &lt);

// Whether the tensor has these dimensions. If may_be_unknown, an unknown number or size fits, and is set to these.
bool fits(logical_tensor &lt, std::span<const dim_t> dims, bool may_be_unknown);

// The same for a vector of as many elements as `dims` have. False for a single dimension, which fits() sees.
bool fits_flat(logical_tensor &lt, std::span<const dim_t> dims, bool may_be_unknown);

// Whether the tensor can be broadcast to `dims`, which are src's or some of them, with no more dimensions than src.
status check_broadcast(const logical_tensor &lt, const char *name, const logical_tensor &src,
                       std::span<const dim_t> dims);

// Says why the strides of a tensor make none.
status explain_no_strides(const logical_tensor &lt, const char *name);

// Puts a dimension of 1 in front of the others. Nothing moves by its stride, because it has a single index: if the
// natural stride overflows, it is 1. False if the result is no tensor.
bool prepend_one(memory_desc &md);

// Describes the other tensor that a follower reads, with `rank` dimensions, which are src's or 1. If the operand's
// layout is any, it becomes dense.
status describe_operand(logical_tensor &operand, const logical_tensor &src, int rank, memory_desc &md);

} // namespace jitnorm::impl::graph
