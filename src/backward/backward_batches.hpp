// SPDX-License-Identifier: Apache-2.0
// backward_batches: the steps of a batch in backward, on panels: the sums over rows and columns, and diff_src.
#pragma once

#include <memory>

#include "../layout/row_tensors.hpp"
#include "backward_batch.hpp"
#include "backward_kernels.hpp"

namespace jitnorm::impl::layer_norm {

// Where the sums over columns of the current row block are; null: they are not computed.
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

    // Sums up the panel `here`, which has these columns, at most CHUNK, of these rows of the batch. Adds to the sums
    // over columns; `to` points to the sums of the row's first column. Writes to s1 and s2 one sum for each row.
    void sum(const arguments &args, const walk &how, const panel &here, const backward_batch<T> &b, range rows,
             range columns, const column_sums<T> &to, T *s1, T *s2) const;
    // Writes diff_src to the panel. The batch's m1 and k must be known.
    void write(const arguments &args, const walk &how, const panel &here, const backward_batch<T> &b, range rows,
               range columns) const;

private:
    std::shared_ptr<const backward_kernels<T>> kernels_;
    size_t diff_src_;  // the place of diff_src in a panel
    bool adds_;        // whether the gradient of the sum is added; in a panel it comes before diff_src
    dim_t scale_size_; // bytes of an element of scale
};

} // namespace jitnorm::impl::layer_norm
