// SPDX-License-Identifier: Apache-2.0
#include "rows_interleaved.hpp"

namespace jitnorm::impl::layer_norm {

interleaved_blocks rows_interleaved::units_of(const row_tensors &tensors, dim_t block_rows) {
    return {leading_tensor(tensors), tensors.row_ndims, block_rows};
}

rows_interleaved::rows_interleaved(const row_tensors &tensors, const plan &planned)
    : tensors_(tensors), strands_(units_of(tensors, planned.block_rows)), planned_(planned),
      statistics_(*tensors.statistics, tensors.row_ndims) {
    for (size_t i = 0; i < size_t(tensors.count); ++i)
        packers_[i].emplace(with_row_order(*tensors.data[i].md, tensors.row_ndims, strands_.order()), tensors.row_ndims,
                            far_apart_in_tiles(planned));
}

rows_interleaved::cursor::cursor(const rows_interleaved &rows, const arguments &args, std::byte *tiles)
    : rows_(rows), args_(args), tiles_(tiles_in(tiles, rows.tensors_, rows.planned_)),
      statistics_(rows.tensors_, &rows.statistics_, args) {}

// In a tile the rows of all strands alternate: from a row of one strand to its next row there are strands_ rows.
panel rows_interleaved::cursor::open(range) const {
    panel result;
    for (size_t i = 0; i < size_t(rows_.tensors_.count); ++i) {
        const row_tensor &t = rows_.tensors_.data[i];
        t.of(result) = {t.of(tiles_).row(strand_), strands_ * t.of(tiles_).stride};
    }
    return result;
}

void rows_interleaved::cursor::gather(const interleaved_blocks::unit &u, dim_t done) const {
    for (size_t i = 0; i < size_t(rows_.tensors_.count); ++i) {
        const row_tensor &t = rows_.tensors_.data[i];
        const strip &tile = t.of(tiles_);
        if (t.is_read)
            for_each_piece(u, done, [&](dim_t place, dim_t rows, dim_t slot) {
                rows_.packers_[i]->gather(args_[t.place], place, rows, tile.row(slot), tile.stride);
            });
    }
}

void rows_interleaved::cursor::scatter(const interleaved_blocks::unit &u, dim_t done) const {
    for (size_t i = 0; i < size_t(rows_.tensors_.count); ++i) {
        const row_tensor &t = rows_.tensors_.data[i];
        const strip &tile = t.of(tiles_);
        if (t.is_written)
            for_each_piece(u, done, [&](dim_t place, dim_t rows, dim_t slot) {
                rows_.packers_[i]->scatter(tile.row(slot), tile.stride, place, rows, args_[t.place]);
            });
    }
}

// Cuts the rows at hand into pieces whose places are consecutive, and calls body(first place, number of rows, first row
// in the tile) for each. A unit that has all strands is one piece.
template <typename Body>
void rows_interleaved::cursor::for_each_piece(const interleaved_blocks::unit &u, dim_t done, Body &&body) const {
    const dim_t first = u.place + done * u.from_row;
    if (u.strands == u.from_row) return body(first, number_ * u.strands, dim_t(0));
    for (dim_t i = 0; i < number_; ++i) body(first + i * u.from_row, u.strands, i * u.strands);
}

} // namespace jitnorm::impl::layer_norm
