// SPDX-License-Identifier: Apache-2.0
// interleaved_rows: the row source (rows.hpp) of backward where the rows of a row block, which are added in order, are
// not neighbours in memory.
#pragma once

#include <algorithm>

#include "../math/row_blocks.hpp"
#include "row_order.hpp"
#include "tiles.hpp"

namespace jitnorm::impl::layer_norm {

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

inline interleaved_blocks::interleaved_blocks(const memory_desc &md, int row_ndims, dim_t block_rows)
    : block_rows_(block_rows), order_(order_in_memory(md, row_ndims)) {
    const int fastest = order_[size_t(row_ndims - 1)];
    const tensor_axis axis(md, fastest, fastest + 1);
    for (int d = 0; d < fastest; ++d) outer_ *= md.dims[d];
    for (int d = fastest + 1; d < row_ndims; ++d) inner_ *= md.dims[d];
    if (md.dims[fastest] == 1 || axis.group_size() == 1 || inner_ % block_rows_ != 0) return;

    size_t place = 0;
    for (int d = 0; d < row_ndims; ++d)
        if (d != fastest) order_[place++] = d;
    order_[place] = fastest;
    strands_ = md.dims[fastest];
    strands_of_unit_ = std::min(strands_, std::max<dim_t>(1, CACHE_LINE / std::max<dim_t>(axis.step(), 1)));
}

inline interleaved_blocks::unit interleaved_blocks::at(dim_t number) const {
    const dim_t blocks = inner_ / block_rows_;
    const dim_t within = number % blocks * block_rows_, strand = number / blocks % groups() * strands_of_unit_;
    const dim_t outer = number / blocks / groups();
    return {(outer * inner_ + within) * strands_ + strand, (outer * strands_ + strand) * inner_ + within,
            std::min(strands_of_unit_, strands_ - strand)};
}

// Visits rows by units. Ranges and shares of a cursor's work count units in place of rows. Panels have whole rows.
class rows_interleaved : public tiled_rows {
public:
    // There may be no units.
    static interleaved_blocks units_of(const problem &p, const row_tensors &tensors);

    rows_interleaved(const problem &p, const plan &planned)
        : rows_interleaved(p, planned, units_of(p, row_tensors_of(p))) {}

    dim_t rows() const { return strands_.units(); }
    dim_t cut_at(dim_t unit) const { return unit; }

    class cursor : public tiled_rows::cursor {
    public:
        cursor(const rows_interleaved &rows, const arguments &args, std::byte *tiles)
            : tiled_rows::cursor(rows, args, tiles), rows_(rows) {}

        // The rows of a batch belong to one row block, and the batches of a row block come in its order.
        template <typename Body>
        void for_each_batch(range units, dim_t most, Body &&body) {
            for (dim_t number = units.begin; number < units.end; ++number) {
                const interleaved_blocks::unit unit = rows_.strands_.at(number);
                const dim_t block_rows = rows_.strands_.block_rows();
                strands_ = unit.strands;
                for (dim_t done = 0; done < block_rows; done += most) {
                    const range rows = {done, std::min(done + most, block_rows)};
                    for_each_piece(unit, rows, [&](auto... piece) { gather(piece...); });
                    for (dim_t strand = 0; strand < strands_; ++strand)
                        for (dim_t row = rows.begin; row < rows.end; row += number_) {
                            first_ = unit.first_row + strand * rows_.strands_.rows_of_strand() + row;
                            number_ = rows_of_batch(first_, rows.end - row);
                            in_tile_ = (row - rows.begin) * strands_ + strand;
                            body(first_, number_);
                        }
                    for_each_piece(unit, rows, [&](auto... piece) { scatter(piece...); });
                }
            }
        }

        // In a tile the rows of all strands alternate: from a row of one strand to its next row there are strands_
        // rows.
        panel open(range) const;
        void close() const {} // for_each_batch() scatters all strands at once
        void open_alike_until(dim_t) const {}
        void finish(int share, int shares) const { zero_padding(share, shares); }

    private:
        // Cuts these rows of each strand into pieces whose positions are consecutive, and calls body(first position,
        // number of rows, all columns, first row in the tile) for each. A unit that has all strands is one piece.
        template <typename Body>
        void for_each_piece(const interleaved_blocks::unit &u, range rows, Body &&body) const {
            const range all = {0, rows_.data_[0].packer->row_length()};
            const dim_t step = rows_.strands_.strands();
            const dim_t first = u.position + rows.begin * step, number = rows.end - rows.begin;
            if (u.strands == step) return body(first, number * step, all, dim_t(0));
            for (dim_t i = 0; i < number; ++i) body(first + i * step, u.strands, all, i * u.strands);
        }

        const rows_interleaved &rows_;
        dim_t in_tile_ = 0, strands_ = 0; // the number of the batch's first row there, and how many strands are there
    };

private:
    rows_interleaved(const problem &p, const plan &planned, const interleaved_blocks &units)
        : tiled_rows(p, planned, &units.order()), strands_(units) {}

    interleaved_blocks strands_;
};

inline interleaved_blocks rows_interleaved::units_of(const problem &p, const row_tensors &tensors) {
    return {leading_tensor(tensors), tensors.row_ndims, row_blocks_of(p).block_rows()};
}

inline panel rows_interleaved::cursor::open(range) const {
    panel result = {};
    for (const row_tensor &t : rows_.tensors_.all())
        t.of(result) = {t.of(tiles_).row(in_tile_), strands_ * t.of(tiles_).stride};
    return result;
}

} // namespace jitnorm::impl::layer_norm
