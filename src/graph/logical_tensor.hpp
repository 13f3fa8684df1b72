// SPDX-License-Identifier: Apache-2.0
// logical_tensor: what the graph interface's descriptions of tensors say, and what they are in memory.
#pragma once

#include <span>

#include "../core/memory_desc.hpp"
#include "jitnorm/jitnorm_graph_types.h"

namespace jitnorm::impl::graph {

using logical_tensor = jitnorm_graph_logical_tensor_t;

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

// Bytes to the end of the last element; (size_t)-1 where that is not known or there is no such tensor.
size_t size_in_bytes(const logical_tensor &lt);

} // namespace jitnorm::impl::graph
