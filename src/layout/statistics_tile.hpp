// SPDX-License-Identifier: Apache-2.0
// statistics_tile: the mean and the variance of a batch's rows, gathered from tensors of any layout and scattered to
// them.
#pragma once

#include "row_packer.hpp"
#include "row_tensors.hpp"

namespace jitnorm::impl::layer_norm {

class statistics_tile {
public:
    statistics_tile(const row_tensors &tensors, const row_packer *rows, const arguments &args)
        : tensors_(tensors), rows_(rows), args_(args) {}

    // The rows first .. first+number-1, at most MAX_BATCH_ROWS. What is only written has any values.
    statistics_rows open(dim_t first, dim_t number) {
        if (rows_ == nullptr) return {};
        if (tensors_.reads_mean) rows_->gather(args_[MEAN], first, number, mean_, size());
        if (tensors_.reads_variance) rows_->gather(args_[VARIANCE], first, number, variance_, size());
        return {mean_, variance_, 1};
    }
    void close(dim_t first, dim_t number) const {
        if (tensors_.writes_mean) rows_->scatter(mean_, size(), first, number, args_[MEAN]);
        if (tensors_.writes_variance) rows_->scatter(variance_, size(), first, number, args_[VARIANCE]);
    }

private:
    dim_t size() const { return element_size(*tensors_.statistics); }

    const row_tensors &tensors_;
    const row_packer *rows_; // null where no statistic is read or written
    const arguments &args_;
    float mean_[MAX_BATCH_ROWS], variance_[MAX_BATCH_ROWS]; // room for narrower types too
};

} // namespace jitnorm::impl::layer_norm
