// SPDX-License-Identifier: Apache-2.0
// row_order: the order in which rows that are neighbours in memory follow each other.
//
// An order is a permutation of the row dimensions. The row dimensions of all tensors of a problem, statistics and
// post-op operands included, are permuted in the same way. Code that counts rows in row-major order then visits them in
// the new order. Backward, whose gradients are added in a given order, has interleaved_blocks.
#pragma once

#include <array>

#include "memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

using row_order = std::array<int, MAX_NDIMS>; // the row dimensions, outermost first

// The order in which the rows of md lie in memory. Its first `row_ndims` dimensions count rows.
row_order order_in_memory(const memory_desc &md, int row_ndims);

// md with its first `row_ndims` dimensions in the given order. The elements stay where they are; only the numbers of
// rows change.
memory_desc with_row_order(const memory_desc &md, int row_ndims, const row_order &order);

// An order of visiting rows that uses a tensor's cache lines whole although column sums must be added in a given
// order. Gradients are added up in row blocks, and the rows of a block in the order of their numbers. In some layouts
// rows with consecutive numbers are not neighbours in memory, and a row shares its cache lines with rows of other
// blocks. Such rows form strands: the rows of one strand have consecutive numbers, and rows of neighbouring strands
// share cache lines. A unit is one row block of each of a few neighbouring strands. Units may be visited in any order.
// Within a unit the strands alternate, row by row.
class interleaved_blocks {
public:
    // The first `row_ndims` dimensions of md count its rows. A row block is `block_rows` consecutive rows.
    interleaved_blocks(const memory_desc &md, int row_ndims, dim_t block_rows);

    // Whether there are units. There are none if visiting rows in the order of their numbers uses cache lines well
    // enough, or if row blocks do not fit into strands.
    bool exist() const { return strands_ > 1; }
    // The order of the row dimensions in which the strands are counted fastest. A row's position is its number in this
    // order.
    const row_order &order() const { return order_; }

    dim_t units() const { return exist() ? outer_ * groups() * (inner_ / block_rows_) : 0; }
    dim_t strands_of_unit() const { return strands_of_unit_; } // the most strands of a unit
    dim_t block_rows() const { return block_rows_; }

    // From a row to the next one of its strand there are strands() positions, from a row to that of the next strand
    // rows_of_strand() row numbers.
    dim_t strands() const { return strands_; }
    dim_t rows_of_strand() const { return inner_; }

    struct unit {
        dim_t position, first_row; // of the first of block_rows() rows of the first strand: its position and its number
        dim_t strands;             // how many strands the unit has
    };
    unit at(dim_t number) const;

private:
    dim_t groups() const { return divide_up(strands_, strands_of_unit_); } // of strands

    // The fastest row dimension in memory counts the strands. The dimensions after it count the inner_ rows of a strand
    // that have consecutive numbers, those before it the outer indices.
    dim_t block_rows_, inner_ = 1, strands_ = 1, outer_ = 1, strands_of_unit_ = 1;
    row_order order_;
};

} // namespace jitnorm::impl::layer_norm
