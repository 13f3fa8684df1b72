// SPDX-License-Identifier: Apache-2.0
// row_order: rows may be normalized in any order, so let those that are near in memory follow each other.
//
// An order is a permutation of the row dimensions. All tensors of a problem, statistics and post-op operands included,
// are put into the same order; then everything that counts rows row-major visits them in that order.
#pragma once

#include <array>

#include "../core/problem.hpp"

namespace jitnorm::impl::layer_norm {

using row_order = std::array<int, MAX_NDIMS>; // the dimensions, outermost first

// The order in which the rows of md, whose first `row_ndims` dimensions count them, lie in memory.
row_order order_in_memory(const memory_desc &md, int row_ndims);

// md with its first `row_ndims` dimensions in another order: the same elements at the same places.
memory_desc with_row_order(const memory_desc &md, int row_ndims, const row_order &order);

// The problem with the rows of all its tensors in the order in which those of leading_tensor() lie in memory: the same
// elements at the same places, numbered as they are best visited.
problem in_order_of_memory(const problem &p);

} // namespace jitnorm::impl::layer_norm
