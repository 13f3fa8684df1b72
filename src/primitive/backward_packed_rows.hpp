// SPDX-License-Identifier: Apache-2.0
// backward_packed_rows: the rows of tensors of any other layout: tiles of rows are gathered into dense buffers, worked
// on there by the same kernels, and diff_src is scattered. The bits are those of dense rows.
#pragma once

#include "backward_dense_rows.hpp"
#include "row_packer.hpp"

namespace jitnorm::impl::layer_norm {

class backward_packed_rows {
public:
    explicit backward_packed_rows(const problem &p);

    static dim_t buffer_bytes(const problem &p); // two tiles to read, and one to write
    dim_t rows() const { return src_.rows(); }
    dim_t cut_at(dim_t row) const { return diff_src_.group_begin(row); }
    dim_t together(const tuning::backward_plan &) const { return tuning::MAX_BATCH_ROWS; } // all of a tile
    dim_t data_columns() const { return std::min(src_.row_length(), CHUNK); }
    bool has_rows_in_lines(const void *) const { return false; } // tiles stay in the caches

    class session {
    public:
        session(const backward_packed_rows &rows, const arguments &args, std::byte *buffer);

        template <typename Body>
        void for_each_batch(range which, Body &&body) {
            for (first_ = which.begin; first_ < which.end; first_ += number_) {
                number_ = rows_.src_.tile_rows(first_, which.end, rows_.tile_rows_);
                gathered_ = {-1, -1};
                body(first_, number_);
            }
        }

        template <typename T>
        void read_statistics(backward_batch<T> &batch, const problem &p) const {
            float mean[tuning::MAX_BATCH_ROWS], variance[tuning::MAX_BATCH_ROWS]; // room for narrower types too
            const dim_t size = rows_.statistics_size_;
            if (p.reads_mean()) rows_.statistics_.gather(args_.mean, first_, number_, mean, size);
            rows_.statistics_.gather(args_.variance, first_, number_, variance, size);
            batch.read_statistics(p, mean, variance, 1);
        }

        // Always the whole batch and at most CHUNK columns, which stay gathered until others are asked for.
        backward_panel open(dim_t first, dim_t number, dim_t begin, dim_t columns);
        void close(dim_t first, dim_t number, dim_t begin, dim_t columns);

    private:
        const backward_packed_rows &rows_;
        const arguments &args_;
        backward_panel tile_;
        dim_t first_ = 0, number_ = 0;
        range gathered_ = {-1, -1}; // columns of the batch
    };

private:
    struct tensors {
        memory_desc src, diff_dst, diff_src, statistics;
    };
    static tensors tensors_of(const problem &p);
    backward_packed_rows(const tensors &ordered, const problem &p);

    row_packer src_, diff_dst_, diff_src_, statistics_;
    dim_t src_pitch_, diff_dst_pitch_, diff_src_pitch_, statistics_size_, tile_rows_;
};

} // namespace jitnorm::impl::layer_norm
