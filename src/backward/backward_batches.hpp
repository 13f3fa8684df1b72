// SPDX-License-Identifier: Apache-2.0
// backward_batches: what is done to a batch of rows whose elements are adjacent, wherever they are: sums over rows and
// columns, and diff_src.
#pragma once

#include <memory>

#include "../layout/row_tensors.hpp"
#include "backward_batch.hpp"
#include "backward_kernels.hpp"

namespace jitnorm::impl::layer_norm {

// Where the sums over columns of the block at hand go; null: not wanted.
template <typename T>
struct column_sums {
    T *scale = nullptr, *shift = nullptr;
    column_sums behind(dim_t columns) const {
        return {scale ? scale + columns : nullptr, shift ? shift + columns : nullptr};
    }
};

template <typename T> // the compute type
class backward_batches {
public:
    backward_batches(const problem &p, std::shared_ptr<const backward_kernels<T>> kernels);

    bool have_sums() const { return bool(kernels_->sums); }

    // Some columns, at most CHUNK, of some of the batch's rows, which the panel shows. Adds to the sums over columns,
    // which begin at those of the row's first column, and sets one sum of each kind per row.
    void sum(const arguments &args, const walk &how, const panel &here, const backward_batch<T> &b, range rows,
             range columns, const column_sums<T> &to, T *s1, T *s2) const;
    // Writes diff_src; the slopes are known.
    void write(const arguments &args, const walk &how, const panel &here, const backward_batch<T> &b, range rows,
               range columns) const;

private:
    std::shared_ptr<const backward_kernels<T>> kernels_;
    size_t diff_src_;  // in a panel
    bool adds_;        // the gradient of a sum with a residual, which comes before diff_src
    dim_t scale_size_; // bytes of an element
};

} // namespace jitnorm::impl::layer_norm
