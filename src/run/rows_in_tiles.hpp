// SPDX-License-Identifier: Apache-2.0
// rows_in_tiles: a row source (row_tensors.hpp) for tensors of any layout. It gathers rows into tiles, which are dense
// buffers in the thread's scratchpad, and scatters what is written there. Tensors whose plan::pitch is 0 have no tile:
// their panels are the tensors' own memory. The results have the same bits as those of dense tensors.
#pragma once

#include <optional>

#include "../tensor/row_packer.hpp"
#include "row_tensors.hpp"
#include "statistics_tile.hpp"

namespace jitnorm::impl::layer_norm {

class rows_in_tiles {
public:
    static constexpr bool ROWS_STAY = false; // rows_in_place.hpp

    rows_in_tiles(const row_tensors &tensors, const plan &planned);

    dim_t rows() const { return packers_[0]->rows(); }
    // Where to cut the rows between two threads, at or before `row`: rows that share cache lines of the result tensor
    // stay together.
    dim_t cut_at(dim_t row) const { return packers_[size_t(tensors_.result)]->group_begin(row); }

    class cursor {
    public:
        cursor(const rows_in_tiles &rows, const arguments &args, std::byte *tiles);

        // Calls body(first row, number of rows) for batches of at most `most` rows that cover the range in order. The
        // functions below are for the body: they mean its batch. The caller says that the rows before
        // `same_columns_until` will all be opened with the same columns, in this call or the next ones, so that a tile
        // may take rows of several batches. Otherwise a tile takes the rows of one batch only.
        template <typename Body>
        void for_each_batch(range which, dim_t most, dim_t same_columns_until, Body &&body) {
            for (dim_t first = which.begin; first < which.end; first += number_) {
                move_to(first, which.end, most, same_columns_until);
                body(first_, number_);
            }
        }

        // Gathers these columns of all rows of the tile, unless the tile has them already. Before that it scatters what
        // was written to other columns.
        panel open(range columns);
        // Notes that the batch's rows have been written. They are scattered when the tiles are needed for other rows or
        // columns, or by finish().
        void close();

        statistics_rows open_statistics() { return statistics_.open(first_, number_); }
        void close_statistics() const { statistics_.close(first_, number_); }

        // Ends a thread's work: scatters what is left in the tiles and writes zeros to the thread's piece of the
        // padding, the piece `share` of `shares`.
        void finish(int share, int shares);

    private:
        void move_to(dim_t first, dim_t end, dim_t most, dim_t same_columns_until);
        void begin_tile(dim_t first, dim_t end, dim_t most);
        void gather(range columns);
        void scatter();
        dim_t find_rows_in_place(dim_t most);
        strip where_it_is(size_t tensor, dim_t column) const;

        const rows_in_tiles &rows_;
        const arguments &args_;
        panel tiles_;
        dim_t first_ = 0, number_ = 0;                           // the batch: its first row and its number of rows
        std::array<std::byte *, MAX_ROW_TENSORS> in_place_ = {}; // its first row in each tensor without a tile
        range tiled_ = {0, 0};                                   // the rows that the tiles are for
        range gathered_ = {0, 0};                                // the columns of these rows that the tiles have
        range written_ = {0, 0};                                 // the rows that are still to be scattered
        statistics_tile statistics_;
    };

private:
    // The first tensor that has a tile. It decides how many rows a tile takes.
    const row_packer &leading() const;

    row_tensors tensors_;
    plan planned_;
    std::array<std::optional<row_packer>, MAX_ROW_TENSORS> packers_;
    std::optional<row_packer> statistics_;
};

} // namespace jitnorm::impl::layer_norm
