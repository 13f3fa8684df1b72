// SPDX-License-Identifier: Apache-2.0
// rows_interleaved: a row source (row_tensors.hpp) like rows_in_tiles, for blocks of rows that have an order of their
// own while their rows are far apart in memory: rows are visited by units (interleaved_blocks.hpp), several blocks side
// by side. What a cursor goes through are units in place of rows; rows are no longer than a panel.
#pragma once

#include <optional>

#include "interleaved_blocks.hpp"
#include "row_packer.hpp"
#include "row_tensors.hpp"
#include "statistics_tile.hpp"

namespace jitnorm::impl::layer_norm {

class rows_interleaved {
public:
    // The units for blocks of so many rows, which there may be none of.
    static interleaved_blocks units_of(const row_tensors &tensors, dim_t block_rows);

    rows_interleaved(const row_tensors &tensors, const plan &how);

    dim_t units() const { return strands_.units(); }

    class cursor {
    public:
        cursor(const rows_interleaved &rows, const arguments &args, std::byte *tiles);

        // Calls body(first row, number) for batches that cover the units; each is of a single block, and those of a
        // block come in its order. What follows is about the batch it is at.
        template <typename Body>
        void for_each_batch(range units, Body &&body) {
            for (dim_t number = units.begin; number < units.end; ++number) go_through(number, body);
        }

        panel open(range rows, range columns) const;
        void close(range, range) const {} // all strands are scattered together
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
                number_ = std::min(rows_.how_.batch_rows, block_rows - done);
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
        dim_t first_ = 0, number_ = 0;   // the batch,
        dim_t strand_ = 0, strands_ = 0; // its strand, and how many are in the tiles
        statistics_tile statistics_;
    };

private:
    row_tensors tensors_;
    interleaved_blocks strands_;
    plan how_;
    std::array<std::optional<row_packer>, MAX_ROW_TENSORS> packers_; // rows in the order of the strands
    row_packer statistics_;                                          // rows in their own
};

} // namespace jitnorm::impl::layer_norm
