// SPDX-License-Identifier: Apache-2.0
// tiles: a row source (rows.hpp) for tensors of any layout, and the base of another one (interleaved_rows.hpp). They
// gather rows into tiles, which are dense buffers in the thread's scratchpad, and scatter what is written there. The
// results have the bits of dense tensors.
#pragma once

#include <optional>

#include "../tensor/row_packer.hpp"
#include "row_order.hpp"
#include "rows.hpp"

namespace jitnorm::impl::layer_norm {

// The tiles of the data tensors for panels of so many columns.
struct row_tiles {
    row_tiles(const problem &p, const row_tensors &tensors, dim_t columns);

    // Bytes from row to row of each tensor's tile; 0: it has no tile, because its rows are dense. If one tensor needs a
    // tile in backward, all of them have one.
    std::array<dim_t, MAX_ROW_TENSORS> pitch = {};
    bool last_has_tile_before = false; // the last tensor has the tile of the one before it
    dim_t row_bytes = 0;               // of a row, added up over all tiles
};

// How many rows fit into tiles that stay in L2 while their rows are gathered, worked on and scattered. They should have
// many rows, so that gathering uses each cache line of the tensor whole.
constexpr dim_t TILE_BYTES = 288 * 1024, MAX_TILE_ROWS = 256;
constexpr dim_t tile_rows_for(dim_t row_bytes) {
    return std::clamp<dim_t>(TILE_BYTES / std::max<dim_t>(row_bytes, 1), 1, MAX_TILE_ROWS);
}

// The base of both row sources.
class tiled_rows {
public:
    static constexpr bool ROWS_STAY = false; // rows_in_place

protected:
    // `order`: null, or that of the rows of all data tensors.
    tiled_rows(const problem &p, const plan &planned, const row_order *order);

    class cursor {
    public:
        // The statistics of the batch's rows, in their tensors.
        statistics_rows open_statistics() const;

    protected:
        cursor(const tiled_rows &rows, const arguments &args, std::byte *tiles);

        // Copies columns of so many rows from `first` on between the tensors and the tiles, from row `to` on there.
        void gather(dim_t first, dim_t rows, range columns, dim_t to) const;
        void scatter(dim_t first, dim_t rows, range columns, dim_t from) const;
        // Writes zeros to the padding of all tensors that are outputs: the piece `share` of `shares`.
        void zero_padding(int share, int shares) const;
        // How many rows from `first` on, at most `most`, have statistics that are evenly spaced.
        dim_t rows_of_batch(dim_t first, dim_t most) const {
            return rows_.statistics_ ? rows_.statistics_->run_from(first, most).count : most;
        }

        const arguments &args_;
        panel tiles_ = {};
        dim_t first_ = 0, number_ = 0; // the batch: its first row and its number of rows

    private:
        const tiled_rows &rows_;
    };

    struct tiled_tensor : row_tensor {
        dim_t pitch = 0;                  // bytes from row to row of its tile; 0: it has none
        bool has_tile_before = false;     // its tile is that of the tensor before it
        std::optional<row_packer> packer; // never empty
    };
    std::span<const tiled_tensor> all() const { return {data_.data(), size_t(tensors_.count)}; }

    row_tensors tensors_;
    std::array<tiled_tensor, MAX_ROW_TENSORS> data_;
    dim_t tile_rows_;
    bool whole_rows_;                      // whether every panel has whole rows
    std::optional<row_packer> statistics_; // empty where no statistic is read or written
    dim_t statistics_size_ = 1;            // bytes of an element
};

// Visits rows in the order of their numbers.
class rows_in_tiles : public tiled_rows {
public:
    rows_in_tiles(const problem &p, const plan &planned) : tiled_rows(p, planned, nullptr) {}

    dim_t rows() const { return data_[0].packer->rows(); }
    // Where to cut the rows between two threads, at or before `row`: one thread has all rows that share cache lines of
    // the result tensor.
    dim_t cut_at(dim_t row) const { return data_[size_t(tensors_.result)].packer->group_begin(row); }

    class cursor : public tiled_rows::cursor {
    public:
        cursor(const rows_in_tiles &rows, const arguments &args, std::byte *tiles)
            : tiled_rows::cursor(rows, args, tiles), rows_(rows) {}

        // A tile takes rows of several batches only if all of them will be opened with the same columns: those of a
        // call if panels have whole rows, and the rows before open_alike_until(), in this call or the next ones.
        template <typename Body>
        void for_each_batch(range which, dim_t most, Body &&body) {
            for (dim_t first = which.begin; first < which.end; first += number_) {
                move_to(first, which.end, most);
                body(first_, number_);
            }
        }
        void open_alike_until(dim_t row) { alike_until_ = row; }

        // Gathers these columns of all rows of the tile, unless the tile has them already. Before that it scatters the
        // other columns that were written.
        panel open(range columns);
        // Notes that the batch's rows have been written. They are scattered when the tiles are needed for other rows or
        // columns, or by finish().
        void close();

        // Ends a thread's work: scatters the rest of the tiles and writes zeros to the thread's piece of the padding.
        void finish(int share, int shares);

    private:
        void move_to(dim_t first, dim_t end, dim_t most);
        void scatter_written();

        const rows_in_tiles &rows_;
        panel in_place_ = {};     // the batch's rows in each tensor without a tile
        range tiled_ = {0, 0};    // the rows that the tiles are for
        range gathered_ = {0, 0}; // the columns of these rows that the tiles have
        range written_ = {0, 0};  // the rows that are still to be scattered
        dim_t alike_until_ = 0;
    };

private:
    // The first tensor that has a tile. It decides how many rows a tile takes.
    const row_packer &leading() const;
};

} // namespace jitnorm::impl::layer_norm
