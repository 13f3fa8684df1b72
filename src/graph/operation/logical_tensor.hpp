// SPDX-License-Identifier: Apache-2.0
// logical_tensor: what the graph interface's descriptions of tensors say, and what they are in memory.
#pragma once

#include <span>

#include "../../core/boundary.hpp"
#include "jitnorm/jitnorm_graph_types.h"

namespace jitnorm::impl::graph {

using logical_tensor = jitnorm_graph_logical_tensor_t;

constexpr verdict BAD_RANK = invalid("the number of dimensions is out of range");

// Whether the number of dimensions is known, and there is room for them, or is unknown. The struct is public, so
// callers may have written anything into it; nothing else here may be asked of one for which this is false.
inline bool has_legal_rank(const logical_tensor &lt) {
    return JITNORM_GRAPH_UNKNOWN_NDIMS <= lt.ndims && lt.ndims <= MAX_NDIMS;
}

bool is_shape_known(const logical_tensor &lt);
bool are_strides_known(const logical_tensor &lt); // of a strided one
bool are_equal(const logical_tensor &a, const logical_tensor &b);

inline std::span<const dim_t> dims_of(const logical_tensor &lt) {
    return {lt.dims, lt.ndims < 0 ? 0 : size_t(lt.ndims)};
}

void set_shape(logical_tensor &lt, std::span<const dim_t> dims);

// Makes it strided, row major and without gaps. Dimensions of size 0 count as 1; false where a stride does not fit.
bool lay_out_densely(logical_tensor &lt);
// The same with dimensions in the order of `model`, which is strided and has as many of them.
bool lay_out_densely_like(logical_tensor &lt, const logical_tensor &model);

// The tensor of dimensions first .. last-1 at index 0 of the others; where there are none, of one element. Of a strided
// tensor whose shape and strides are known. False where they make no tensor.
bool describe_dims(const logical_tensor &lt, int first, int last, memory_desc &md);

// Whether the tensor's dimensions are the last ones of `dims`, or 1, with nothing but ones before them.
bool broadcasts_to(const logical_tensor &lt, std::span<const dim_t> dims);
// Such a tensor as one of `dims`, with strides of 0 along what is repeated.
bool describe_broadcast(const logical_tensor &lt, std::span<const dim_t> dims, memory_desc &md);

// The tensor with dimensions of 1 before its own, `rank` in all; ones of its own that are more than these are left out.
bool describe_aligned(const logical_tensor &lt, int rank, memory_desc &md);

// Bytes to the end of the last element; (size_t)-1 where that is not known or there is no such tensor.
size_t size_in_bytes(const logical_tensor &lt);

} // namespace jitnorm::impl::graph
