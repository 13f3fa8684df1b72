// SPDX-License-Identifier: Apache-2.0
// statistics_tile: the mean and the variance of a batch's rows, from and to tensors of any layout: where they are if
// they are evenly spaced there, as they almost always are, else gathered and scattered.
#pragma once

#include <cstring>

#include "row_packer.hpp"
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

    // The rows first .. first+number-1, at most MAX_BATCH_ROWS. What is only written has any values.
    statistics_rows open(dim_t first, dim_t number) {
        if (rows_ == nullptr) return {};
        const auto [offset, count] = rows_->run_from(first, number);
        is_in_place_ = count == number;
        if (is_in_place_) return {in(MEAN, offset), in(VARIANCE, offset), stride_};
        if (tensors_.reads_mean) gather(MEAN, first, number, mean_);
        if (tensors_.reads_variance) gather(VARIANCE, first, number, variance_);
        return {mean_, variance_, 1};
    }
    void close(dim_t first, dim_t number) const {
        if (is_in_place_) return;
        if (tensors_.writes_mean) scatter(mean_, first, number, MEAN);
        if (tensors_.writes_variance) scatter(variance_, first, number, VARIANCE);
    }

private:
    std::byte *in(slot tensor, dim_t offset) const {
        auto *const first = static_cast<std::byte *>(args_[tensor]);
        return first == nullptr ? nullptr : first + offset;
    }
    // Row by row: for so few elements a strided copy's preparations take longer.
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
    dim_t size_ = 0, stride_ = 0; // of an element, in bytes; from row to row of a run, in elements
    bool is_in_place_ = true;     // the batch is
    float mean_[MAX_BATCH_ROWS], variance_[MAX_BATCH_ROWS]; // room for narrower types too
};

} // namespace jitnorm::impl::layer_norm
