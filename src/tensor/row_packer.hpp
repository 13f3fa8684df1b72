// SPDX-License-Identifier: Apache-2.0
// row_packer: copies rows of a tensor of any layout to dense rows and back, because kernels work on dense rows only.
//
// The first `row_ndims` dimensions count rows in row-major order. The other dimensions count the columns of a row, also
// in row-major order; if there are none, a row has one element. A tile is a buffer of the caller's with some
// consecutive rows or a range of their columns. Row r of the tile begins at byte r * pitch; elements keep their type.
// If rows are numbered in the order in which they lie in memory (row_order.hpp), copying a tile uses cache lines whole.
#pragma once

#include "strided_copy.hpp"
#include "tensor_axis.hpp"

namespace jitnorm::impl::layer_norm {

class row_packer {
public:
    row_packer(const memory_desc &md, int row_ndims, dim_t prefetched_step = PREFETCHED_STEP)
        : row_packer(md, md, row_ndims, prefetched_step) {}
    // The tensor broadcast to the dimensions of `shape`, along each dimension in which it has one element.
    row_packer(const memory_desc &md, const memory_desc &shape, int row_ndims, dim_t prefetched_step = PREFETCHED_STEP);

    dim_t rows() const { return rows_.size(); }
    dim_t row_length() const { return columns_.size(); }

    // gather() copies from the tensor to the tile, scatter() back. `tensor` is the data handle: offset0 is added here.
    // `pitch` is in bytes. Columns outside the given range, gaps and padding are neither read nor written.
    void gather(const void *tensor, dim_t first_row, dim_t rows, dim_t first_column, dim_t columns, void *tile,
                dim_t pitch) const {
        copy(copy_.gather, tensor, first_row, rows, first_column, columns, tile, pitch);
    }
    void scatter(const void *tile, dim_t pitch, dim_t first_row, dim_t rows, dim_t first_column, dim_t columns,
                 void *tensor) const {
        copy(copy_.scatter, tensor, first_row, rows, first_column, columns, tile, pitch);
    }

    dim_t row_step() const { return rows_.step(); } // in bytes, from one row of a run to the next
    // The longest run that begins with the row `first` and has at most `most` rows. The offset is from the data handle.
    tensor_axis::evenly_spaced run_from(dim_t first, dim_t most) const {
        const auto [offset, count] = rows_.run_from(first, most);
        return {offset0_ + offset, count};
    }
    // Calls body(offset) for each row: the distance from the data handle to the row's first element, in bytes.
    template <typename Body>
    void for_each_row(dim_t first, dim_t count, Body &&body) const {
        rows_.for_each_run(first, count, [&](dim_t offset, dim_t run) {
            for (dim_t i = 0; i < run; ++i) body(offset0_ + offset + i * row_step());
        });
    }

    // Rows that share cache lines come in groups (tensor_axis::group_size()).
    // The last row <= `row` at which a group begins, which is where to cut rows between threads.
    dim_t group_begin(dim_t row) const { return row < rows() ? rows_.group_begin(row) : rows(); }
    // How many rows a tile from row `first` on should take: at most `most`, none from `end` on, whole groups if one
    // fits.
    dim_t tile_rows(dim_t first, dim_t end, dim_t most) const;

    // A pitch for rows of so many bytes. It is an odd number of cache lines, so that neighbouring rows of a tile do not
    // compete for the same sets of a cache.
    static constexpr dim_t pitch_for(dim_t row_bytes) {
        const dim_t lines = divide_up(row_bytes, CACHE_LINE);
        return (lines | 1) * CACHE_LINE;
    }
    static dim_t pitch_for(jitnorm_data_type_t type, dim_t columns) {
        return pitch_for(columns * dim_t(size_of(type)));
    }

private:
    // Cuts a tile into boxes, whose elements are evenly spaced along each axis, and copies each.
    void copy(box_copy copy_one, const void *tensor, dim_t first_row, dim_t rows, dim_t first_column, dim_t columns,
              const void *tile, dim_t pitch) const;

    dim_t element_, offset0_; // in bytes
    tensor_axis rows_, columns_;
    strided_copy copy_;
    dim_t prefetched_step_; // of strided_copy
};

} // namespace jitnorm::impl::layer_norm
