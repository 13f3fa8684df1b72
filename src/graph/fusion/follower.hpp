// SPDX-License-Identifier: Apache-2.0
// follower: the operations that may follow a normalization, by oneDNN Graph's descriptions of them: which tensors and
// attributes they have. What does not fit these is no follower.
#pragma once

#include "../operation/norm_op.hpp"

namespace jitnorm::impl::graph {

const char *name_of_follower(jitnorm_graph_op_kind_t kind); // "GELU"

// A function of one tensor.
bool understand_function(const jitnorm_graph_op &op, eltwise_post_op &result);

// Of two, one of which is `value`, the first one unless the order does not matter. other: which of the inputs the other
// one is.
bool understand_combination(const jitnorm_graph_op &op, size_t value, jitnorm_alg_kind_t &alg, size_t &other);
bool is_addition(const jitnorm_graph_op &op);   // Add, of any two tensors
bool may_broadcast(const jitnorm_graph_op &op); // auto_broadcast
// What two types give together; undef where they do not go together.
jitnorm_data_type_t type_of_combination(jitnorm_data_type_t a, jitnorm_data_type_t b);

// To 8 bits, with one scale and zero point for the tensor, so that value * (1 / scale) + zero point is as exact as in
// f32: other scales, and zero points that f32 does not have, are refused, as are those of f8.
bool understand_quantize(const jitnorm_graph_op &op, float &scale, int64_t &zero_point);

} // namespace jitnorm::impl::graph
