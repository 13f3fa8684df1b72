// SPDX-License-Identifier: Apache-2.0
// row_packer: rows of a tensor of any layout, copied to and from dense rows, so that kernels need know no other.
//
// The first `row_ndims` dimensions count rows, in row-major order; the columns of a row are counted so over the others,
// of which there may be none: rows of one element. A tile is some consecutive rows (or a range of their columns) in a
// buffer of the caller, row r of the tile at r * pitch bytes; elements keep their type. With rows numbered as they lie
// in memory (row_order.hpp) a tile uses cache lines whole.
#pragma once

#include "strided_copy.hpp"
#include "tensor_axis.hpp"

namespace jitnorm::impl::layer_norm {

class row_packer {
public:
    row_packer(const memory_desc &md, int row_ndims) : row_packer(md, md, row_ndims) {}
    // A tensor broadcast to the shape of another: along each dimension in which it has one element.
    row_packer(const memory_desc &md, const memory_desc &shape, int row_ndims);

    dim_t rows() const { return rows_.size(); }
    dim_t row_length() const { return columns_.size(); }

    // Tensor pointers are data handles: the descriptor's offset0 is added here. Columns outside the given range, gaps
    // and padding are neither read nor written.
    void gather(const void *tensor, dim_t first_row, dim_t rows, dim_t first_column, dim_t columns, void *tile,
                dim_t pitch) const;
    void scatter(const void *tile, dim_t pitch, dim_t first_row, dim_t rows, dim_t first_column, dim_t columns,
                 void *tensor) const;
    void gather(const void *tensor, dim_t first_row, dim_t rows, void *tile, dim_t pitch) const {
        gather(tensor, first_row, rows, 0, row_length(), tile, pitch);
    }
    void scatter(const void *tile, dim_t pitch, dim_t first_row, dim_t rows, void *tensor) const {
        scatter(tile, pitch, first_row, rows, 0, row_length(), tensor);
    }

    // Calls body(offset in bytes from the data handle, count) for runs of rows that are a row step apart.
    template <typename Body>
    void for_each_run(dim_t first, dim_t count, Body &&body) const {
        rows_.for_each_run(first, count, [&](dim_t offset, dim_t run) { body(offset0_ + offset, run); });
    }
    dim_t row_step() const { return rows_.step(); } // in bytes
    // The first of these runs: bytes from the data handle, and how many rows.
    struct evenly_spaced {
        dim_t offset, count;
    };
    evenly_spaced run_from(dim_t first, dim_t most) const {
        const auto [offset, count] = rows_.run_from(first, most);
        return {offset0_ + offset, count};
    }
    // Calls body(offset in bytes from the data handle) for the first element of each row.
    template <typename Body>
    void for_each_row(dim_t first, dim_t count, Body &&body) const {
        for_each_run(first, count, [&](dim_t offset, dim_t run) {
            for (dim_t i = 0; i < run; ++i) body(offset + i * row_step());
        });
    }

    // Rows that share cache lines come in groups of about this many; 1: each has its own.
    dim_t group_size() const { return rows_.group_size(); }
    // The last row <= `row` at which a group begins: there to cut rows between threads.
    dim_t group_begin(dim_t row) const { return row < rows() ? rows_.group_begin(row) : rows(); }
    // How many rows the tile that begins at row `first` should take, of `most` at best and up to row `end`: whole
    // groups where they fit.
    dim_t tile_rows(dim_t first, dim_t end, dim_t most) const;

    // Bytes from row to row of a tile for which neighbouring rows do not compete for the same places in a cache.
    static constexpr dim_t pitch_for(dim_t row_bytes) {
        const dim_t lines = (row_bytes + tensor_axis::CACHE_LINE - 1) / tensor_axis::CACHE_LINE;
        return (lines | 1) * tensor_axis::CACHE_LINE;
    }

private:
    // Calls body(box) for the pieces of a tile whose elements are evenly spaced.
    template <typename Body>
    void for_each_box(dim_t first_row, dim_t rows, dim_t first_column, dim_t columns, dim_t pitch, Body &&body) const;

    dim_t element_, offset0_; // in bytes
    tensor_axis rows_, columns_;
    strided_copy copy_;
};

} // namespace jitnorm::impl::layer_norm
