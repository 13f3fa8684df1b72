// SPDX-License-Identifier: Apache-2.0
// row_order: the order in which rows that are neighbours in memory follow each other.
//
// An order is a permutation of the row dimensions. The row dimensions of all tensors of a problem, statistics and
// post-op operands included, are permuted in the same way. Code that counts rows in row-major order then visits them in
// the new order.
#pragma once

#include <array>

#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

using row_order = std::array<int, MAX_NDIMS>; // the row dimensions, outermost first

// The order in which the rows of md lie in memory. Its first `row_ndims` dimensions count rows.
row_order order_in_memory(const memory_desc &md, int row_ndims);

// md with its first `row_ndims` dimensions in the given order. The elements stay where they are; only the numbers of
// rows change.
memory_desc with_row_order(const memory_desc &md, int row_ndims, const row_order &order);

// The problem with the rows of all its tensors in the order in which the rows of leading_tensor() lie in memory. The
// elements stay where they are.
problem in_order_of_memory(const problem &p);

} // namespace jitnorm::impl::layer_norm
