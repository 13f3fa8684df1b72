// SPDX-License-Identifier: Apache-2.0
// rows_interleaved: a row source (row_tensors.hpp) that gathers rows into tiles as rows_in_tiles does, but visits them
// by units (interleaved_blocks.hpp). It is for backward where the rows of a row block, which are added in order, lie
// far apart in memory. Ranges and shares of a cursor's work count units in place of rows. Panels have whole rows.
#pragma once

#include <optional>

#include "../tensor/row_packer.hpp"
#include "interleaved_blocks.hpp"
#include "row_tensors.hpp"
#include "statistics_tile.hpp"

namespace jitnorm::impl::layer_norm {

class rows_interleaved {
public:
    static constexpr bool ROWS_STAY = false; // rows_in_place.hpp

    // The units for row blocks of so many rows; there may be none.
    static interleaved_blocks units_of(const row_tensors &tensors, dim_t block_rows);

    rows_interleaved(const row_tensors &tensors, const plan &planned);

    dim_t rows() const { return strands_.units(); }
    dim_t cut_at(dim_t unit) const { return unit; }

    class cursor {
    public:
        cursor(const rows_interleaved &rows, const arguments &args, std::byte *tiles);

        // Calls body(first row, number of rows) for batches that cover the units. The rows of a batch belong to one row
        // block, and the batches of a row block come in its order. The functions below are for the body: they mean its
        // batch.
        template <typename Body>
        void for_each_batch(range units, dim_t /* most */, dim_t /* same_columns_until */, Body &&body) {
            for (dim_t number = units.begin; number < units.end; ++number) go_through(number, body);
        }

        panel open(range columns) const;
        void close() const {} // go_through() scatters all strands together
        statistics_rows open_statistics() { return statistics_.open(first_, number_); }
        void close_statistics() const {}
        void finish(int share, int shares) const { zero_padding(rows_.tensors_, args_, share, shares); }

    private:
        template <typename Body>
        void go_through(dim_t unit_number, Body &&body) {
            const interleaved_blocks::unit unit = rows_.strands_.at(unit_number);
            const dim_t block_rows = rows_.strands_.block_rows();
            strands_ = unit.strands;
            for (dim_t done = 0; done < block_rows; done += number_) {
                number_ = std::min(rows_.planned_.batch_rows, block_rows - done);
                gather(unit, done);
                for (strand_ = 0; strand_ < strands_; ++strand_) {
                    first_ = rows_.strands_.first_row(unit, strand_) + done;
                    body(first_, number_);
                }
                scatter(unit, done);
            }
        }
        void gather(const interleaved_blocks::unit &u, dim_t done) const;
        void scatter(const interleaved_blocks::unit &u, dim_t done) const;
        template <typename Body>
        void for_each_piece(const interleaved_blocks::unit &u, dim_t done, Body &&body) const;

        const rows_interleaved &rows_;
        const arguments &args_;
        panel tiles_;
        dim_t first_ = 0, number_ = 0;   // the batch: its first row and its number of rows
        dim_t strand_ = 0, strands_ = 0; // the batch's strand, and how many strands are in the tiles
        statistics_tile statistics_;
    };

private:
    row_tensors tensors_;
    interleaved_blocks strands_;
    plan planned_;
    std::array<std::optional<row_packer>, MAX_ROW_TENSORS> packers_; // they number rows by their places
    row_packer statistics_;                                          // its rows have their own numbers
};

} // namespace jitnorm::impl::layer_norm
