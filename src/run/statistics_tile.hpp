// SPDX-License-Identifier: Apache-2.0
// statistics_tile: the statistics of a batch's rows, in tensors of any layout. If they are evenly spaced
// in the tensors, as they almost always are, they are used there; otherwise they are gathered and scattered.
#pragma once

#include <cstring>

#include "../tensor/row_packer.hpp"
#include "row_tensors.hpp"

namespace jitnorm::impl::layer_norm {

class statistics_tile {
public:
    statistics_tile(const row_tensors &tensors, const row_packer *rows, const arguments &args)
        : tensors_(tensors), rows_(rows), args_(args) {
        if (rows_ == nullptr) return;
        size_ = element_size(*tensors_.statistics);
        stride_ = rows_->row_step() / size_;
    }

    // The statistics of the rows first .. first+number-1, which are at most MAX_BATCH_ROWS. Statistics that are outputs
    // have undefined values until they are written.
    statistics_rows open(dim_t first, dim_t number) {
        if (rows_ == nullptr) return {};
        const auto [offset, count] = rows_->run_from(first, number);
        is_in_place_ = count == number;
        statistics_rows found = {.stride = is_in_place_ ? stride_ : 1};
        for (size_t i = 0; i < ROW_STATISTICS.size(); ++i) {
            const slot s = ROW_STATISTICS[i];
            if (!is_in_place_ && (tensors_.read_statistics & bit_of(s)) != 0) gather(s, first, number, tiles_[i]);
            found[s] = is_in_place_ ? in(s, offset) : static_cast<void *>(tiles_[i]);
        }
        return found;
    }
    void close(dim_t first, dim_t number) const {
        if (is_in_place_) return;
        for (size_t i = 0; i < ROW_STATISTICS.size(); ++i)
            if (const slot s = ROW_STATISTICS[i]; (tensors_.written_statistics & bit_of(s)) != 0)
                scatter(tiles_[i], first, number, s);
    }

private:
    std::byte *in(slot tensor, dim_t offset) const { return behind(args_[tensor], offset); }
    // Copies row by row: for so few elements the preparations of a strided_copy would take longer than the copy.
    void gather(slot from, dim_t first, dim_t number, float *to) const {
        auto *tile = reinterpret_cast<std::byte *>(to);
        rows_->for_each_row(first, number, [&](dim_t offset) {
            std::memcpy(tile, in(from, offset), size_t(size_));
            tile += size_;
        });
    }
    void scatter(const float *from, dim_t first, dim_t number, slot to) const {
        const auto *tile = reinterpret_cast<const std::byte *>(from);
        rows_->for_each_row(first, number, [&](dim_t offset) {
            std::memcpy(in(to, offset), tile, size_t(size_));
            tile += size_;
        });
    }

    const row_tensors &tensors_;
    const row_packer *rows_; // null where no statistic is read or written
    const arguments &args_;
    dim_t size_ = 0, stride_ = 0;                        // bytes of an element, elements from row to row of a run
    bool is_in_place_ = true;                            // whether the batch's statistics are used in the tensors
    float tiles_[ROW_STATISTICS.size()][MAX_BATCH_ROWS]; // room for narrower types too
};

} // namespace jitnorm::impl::layer_norm
