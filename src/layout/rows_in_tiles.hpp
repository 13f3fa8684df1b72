// SPDX-License-Identifier: Apache-2.0
// rows_in_tiles: a row source (row_tensors.hpp) for tensors of any layout: rows are gathered into tiles, dense buffers
// of the thread's scratchpad, and what is written there is scattered. Tensors without a tile (plan::pitch) are taken
// where they are. The bits are those of dense rows.
#pragma once

#include <optional>

#include "row_packer.hpp"
#include "row_tensors.hpp"
#include "statistics_tile.hpp"

namespace jitnorm::impl::layer_norm {

class rows_in_tiles {
public:
    rows_in_tiles(const row_tensors &tensors, const plan &how);

    dim_t rows() const { return packers_[0]->rows(); }
    // Where to cut rows between threads: neighbours that share cache lines of what is written stay together.
    dim_t cut_at(dim_t row) const { return packers_[size_t(tensors_.result)]->group_begin(row); }

    class cursor {
    public:
        cursor(const rows_in_tiles &rows, const arguments &args, std::byte *tiles);

        // Calls body(first row, number) for batches of at most `most` rows that cover the range; what follows is about
        // the batch it is at. Rows up to `same_columns_until` may be gathered together with those of a batch before
        // them: all are going to be asked for the same columns.
        template <typename Body>
        void for_each_batch(range which, dim_t most, dim_t same_columns_until, Body &&body) {
            for (dim_t first = which.begin; first < which.end; first += number_) {
                move_to(first, which.end, most, same_columns_until);
                body(first_, number_);
            }
        }

        // Gathers the columns, for as many rows as the tiles take, unless they are there already; what was written to
        // other columns is scattered before. Always the whole batch.
        panel open(range rows, range columns);
        panel open_to_read(range rows, range columns) { return open(rows, columns); }
        // What was written is scattered when the tiles are needed for other rows or columns, or the work is finished.
        void close(range rows, range columns);

        statistics_rows open_statistics() { return statistics_.open(first_, number_); }
        void close_statistics() const { statistics_.close(first_, number_); }

        // At the end of a thread's work: nothing is left in the tiles, and `share` of the `shares` of all padding is
        // zero.
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
        dim_t first_ = 0, number_ = 0;                           // the batch
        std::array<std::byte *, MAX_ROW_TENSORS> in_place_ = {}; // its first row in each tensor without a tile
        range tiled_ = {0, 0};                                   // rows of the tiles,
        range gathered_ = {0, 0};                                // columns of them that are there,
        range written_ = {0, 0};                                 // and rows that are to be scattered
        statistics_tile statistics_;
    };

private:
    // The tensor whose rows decide how many a tile takes: the first one that has a tile.
    const row_packer &leading() const;

    row_tensors tensors_;
    plan how_;
    std::array<std::optional<row_packer>, MAX_ROW_TENSORS> packers_;
    std::optional<row_packer> statistics_;
};

} // namespace jitnorm::impl::layer_norm
