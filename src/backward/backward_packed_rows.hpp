// SPDX-License-Identifier: Apache-2.0
// backward_packed_rows: the rows of tensors of any other layout: tiles of rows are gathered into dense buffers, worked
// on there by the same kernels, and diff_src is scattered. The bits are those of dense rows.
#pragma once

#include "../layout/interleaved_blocks.hpp"
#include "../layout/row_packer.hpp"
#include "backward_dense_rows.hpp"

namespace jitnorm::impl::layer_norm {

class backward_packed_rows {
public:
    explicit backward_packed_rows(const problem &p);

    static dim_t buffer_bytes(const problem &p); // tiles of src and diff_dst, and diff_src's where it needs its own
    dim_t rows() const { return src_.rows(); }
    dim_t cut_at(dim_t row) const { return diff_src_.group_begin(row); }
    dim_t together(const tuning::backward_plan &) const { return tuning::MAX_BATCH_ROWS; } // all of a tile
    dim_t data_columns() const { return std::min(src_.row_length(), CHUNK); }
    bool has_rows_in_lines(const void *) const { return false; } // tiles stay in the caches

    // Whether rows are to be visited by units (interleaved_blocks.hpp), for gradients of scale and shift.
    static bool goes_by_units(const problem &p) { return lanes_of(p).exist(); }
    dim_t units() const { return lanes_.units(); }
    static bool prefers_chunks(const problem &p);

    class session {
    public:
        // Rows before `end` may be gathered before their batch comes: all that follow will be asked for the same
        // columns.
        session(const backward_packed_rows &rows, const arguments &args, std::byte *buffer, dim_t end);

        template <typename Body>
        void for_each_batch(range which, Body &&body) {
            for (first_ = which.begin; first_ < which.end; first_ += number_) {
                if (first_ < tiled_.begin || first_ >= tiled_.end) begin_tile(std::max(end_, which.end));
                number_ = std::min({tiled_.end - first_, which.end - first_, tuning::MAX_BATCH_ROWS});
                body(first_, number_);
            }
        }

        // The same for the rows of a unit; batches are of a single block each, those of a block in its order.
        template <typename Body>
        void for_each_batch_of_unit(dim_t which, Body &&body) {
            const interleaved_blocks::unit u = rows_.lanes_.at(which);
            const dim_t block_rows = rows_.lanes_.block_rows();
            for (dim_t done = 0; done < block_rows; done += number_) {
                number_ = std::min(rows_.tile_rows_ / rows_.lanes_.lanes_together(), block_rows - done);
                gather_unit(u, done);
                for (lane_ = 0; lane_ < u.lanes; ++lane_) {
                    first_ = rows_.lanes_.first_row(u, lane_) + done;
                    body(first_, number_);
                }
                scatter_unit(u, done);
            }
        }

        template <typename T>
        void read_statistics(backward_batch<T> &batch, const problem &p) const {
            float mean[tuning::MAX_BATCH_ROWS], variance[tuning::MAX_BATCH_ROWS]; // room for narrower types too
            const dim_t size = rows_.statistics_size_;
            if (p.reads_mean()) rows_.statistics_.gather(args_[MEAN], first_, number_, mean, size);
            rows_.statistics_.gather(args_[VARIANCE], first_, number_, variance, size);
            batch.read_statistics(p, mean, variance, 1);
        }

        // Always the whole batch and at most CHUNK columns. They are gathered for as many rows as the tiles take, and
        // stay until others are asked for.
        backward_panel open(dim_t first, dim_t number, dim_t begin, dim_t columns);
        void close(dim_t first, dim_t number, dim_t begin, dim_t columns);

    private:
        void gather(dim_t first, dim_t rows, dim_t begin, dim_t columns, dim_t slot) const;
        void begin_tile(dim_t end);
        void gather_unit(const interleaved_blocks::unit &u, dim_t done);
        void scatter_unit(const interleaved_blocks::unit &u, dim_t done) const;

        template <typename Body>
        void for_each_piece(const interleaved_blocks::unit &u, dim_t done, Body &&body) const;

        const backward_packed_rows &rows_;
        const arguments &args_;
        backward_panel tile_;
        dim_t lane_ = 0, lanes_ = 0; // at hand, and in the tile; 0: no unit is
        dim_t end_, first_ = 0, number_ = 0;
        range tiled_ = {0, 0}, gathered_ = {0, 0}; // rows of the tiles, and columns of these that are there
    };

private:
    struct tensors {
        memory_desc src, diff_dst, diff_src, statistics;
    };
    static tensors tensors_of(const problem &p);
    static interleaved_blocks lanes_of(const problem &p);
    static dim_t tile_rows_of(const problem &p);
    backward_packed_rows(const tensors &ordered, const problem &p);

    interleaved_blocks lanes_;
    row_packer src_, diff_dst_, diff_src_; // with units: in their order
    row_packer statistics_;
    bool shares_tile_; // diff_src is written where diff_dst is read
    dim_t src_pitch_, diff_dst_pitch_, diff_src_pitch_, statistics_size_, tile_rows_;
};

} // namespace jitnorm::impl::layer_norm
