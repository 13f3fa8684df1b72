// SPDX-License-Identifier: Apache-2.0
// follower: recognizes the operations that may follow a normalization. oneDNN Graph describes which tensors and
// attributes each kind has; an operation that differs from this is no follower. The functions understand_...() return
// false for an operation that they do not recognize.
#pragma once

#include "../operation/norm_op.hpp"

namespace jitnorm::impl::graph {

const char *name_of_follower(jitnorm_graph_op_kind_t kind); // for example "GELU"

// Recognizes a function of one tensor.
bool understand_function(const jitnorm_graph_op &op, eltwise_post_op &result);

// Recognizes a function of two different tensors. One of them has the id `value`; it must be the first one, unless the
// function is commutative. Sets `other` to the index of the other tensor among the inputs.
bool understand_combination(const jitnorm_graph_op &op, size_t value, jitnorm_alg_kind_t &alg, size_t &other);
bool is_addition(const jitnorm_graph_op &op);   // Add, of any two different tensors
bool may_broadcast(const jitnorm_graph_op &op); // whether the attribute auto_broadcast is "numpy", the default
// The result's type for operands of two types; undef if an operation may not have both types.
jitnorm_data_type_t type_of_combination(jitnorm_data_type_t a, jitnorm_data_type_t b);

// Whether the second operation computes z * Sigmoid(z), where the first one is Sigmoid and z is what it reads.
bool is_silu(const jitnorm_graph_op &sigmoid, const jitnorm_graph_op &product);

// Recognizes a quantization to 8 bits with one scale and one zero point for the whole tensor. Refuses scales that are
// not normal numbers or have no normal inverse, and zero points beyond 2^24 in size, up to which f32 represents all
// integers: so value * (1 / scale) + zero point can be computed in f32. For the types f8 it refuses the attribute zps.
bool understand_quantize(const jitnorm_graph_op &op, float &scale, int64_t &zero_point);

} // namespace jitnorm::impl::graph
