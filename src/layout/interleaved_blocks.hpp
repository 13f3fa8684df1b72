// SPDX-License-Identifier: Apache-2.0
// interleaved_blocks: an order to visit rows in that uses a tensor's cache lines whole where sums over rows have an
// order of their own.
//
// Rows are added up in blocks, those of a block in their order. Where neighbours in memory are far apart in number, the
// rows of one block are one strand of a few that lie side by side: a unit is a block of each of these strands. Units
// may be visited in any order; in a unit, all strands advance together.
#pragma once

#include <array>

#include "row_order.hpp"

namespace jitnorm::impl::layer_norm {

class interleaved_blocks {
public:
    // For blocks of `block_rows` consecutive rows of md.
    interleaved_blocks(const memory_desc &md, int row_ndims, dim_t block_rows);

    // False: rows in their order are good enough, or no blocks lie in strands; there are no units.
    bool exist() const { return strands_ > 1; }
    // Row dimensions such that strands count fastest.
    const row_order &order() const { return order_; }

    dim_t units() const { return exist() ? outer_rows() * groups() * (inner_ / block_rows_) : 0; }
    dim_t strands_together() const { return together_; } // of a unit, at the most
    dim_t block_rows() const { return block_rows_; }

    struct unit {
        dim_t place;           // of the first strand's first row among the rows in the order above
        dim_t from_row;        // from a row of a strand to the next, in places
        dim_t outer;           // which rows strand_row() is asked for
        dim_t strand, strands; // the first one, and how many
        dim_t within;          // the first of block_rows() rows, counted within a strand
    };
    unit at(dim_t number) const;
    // The number of the first row of one of the unit's strands, 0 <= strand < strands.
    dim_t first_row(const unit &u, dim_t strand) const;

private:
    // Some dimensions, outermost first, and how many rows there are from one of their indices to the next.
    struct dimensions {
        std::array<dim_t, MAX_NDIMS> size, rows;
        int count = 0;
        dim_t total() const;
        dim_t row_of(dim_t index) const;
    };

    void choose(const memory_desc &md, int row_ndims, const row_order &in_memory, int strand_dimensions);
    dim_t outer_rows() const { return outer_.total(); }
    dim_t groups() const { return (strands_ + together_ - 1) / together_; }

    dim_t block_rows_, inner_ = 1, strands_ = 1, together_ = 1;
    dimensions outer_, strand_;
    row_order order_ = {};
};

} // namespace jitnorm::impl::layer_norm
