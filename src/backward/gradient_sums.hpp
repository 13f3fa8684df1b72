// SPDX-License-Identifier: Apache-2.0
// gradient_sums: makes the gradients of scale and shift from sums over columns. The sums of row blocks are added to
// that of their part, and parts to the total (row_blocks.hpp), in double and in order.
#pragma once

#include <memory>

#include "../norm/executor.hpp"
#include "backward_batches.hpp"
#include "backward_kernels.hpp"
#include "backward_work.hpp"

namespace jitnorm::impl::layer_norm {

// An array of sums has those of scale first, if its gradient is computed. Those of shift begin `pitch` sums later. T is
// the compute type.
template <typename T>
class gradient_sums {
public:
    // Keeps a reference to the work.
    gradient_sums(const problem &p, const backward_work &work, std::shared_ptr<const backward_kernels<T>> kernels);

    int count() const { return int(scale_) + int(shift_); }
    // Whether the sums of a row block have the type of the gradients, so that they can be added up in the gradients'
    // memory. Never for double: those sums go through the weights kernels.
    bool have_type_of_gradients() const { return std::is_same_v<T, float> && type_ == jitnorm_f32; }
    // Whether the problem is partial: the sums of the parts are the result.
    bool are_partial() const { return partial_; }

    void zero_gradients(const arguments &args) const;
    column_sums<T> begin(T *sums, dim_t pitch) const;

    // to = start + sums, for `number` sums; `start` null means zeros. `to` may be `start`.
    void add_block(const double *start, const T *sums, double *to, dim_t number) const;
    void add_part(const double *start, const double *sums, double *to, dim_t number) const;

    // Writes some columns of the gradients: start + the sums of `parts` more parts. Both pointers point to the sums of
    // the first of these columns.
    void finish(const arguments &args, const double *start, const double *sums, dim_t parts, dim_t pitch,
                range columns) const;

    // Writes some columns of a part's sums to the result of a partial problem. `sums` points to the first of these
    // columns.
    void store_part(const arguments &args, dim_t part, const double *sums, dim_t pitch, range columns) const;

    // Writes the result from the sums of all parts. Unless the problem is partial, the sums of the first `added` parts
    // have been added up already, in the place of part 0.
    void finish_parts(const arguments &args, std::byte *common, dim_t added) const;

private:
    void add_parts(const arguments &args, std::byte *common, dim_t added) const;
    void store_parts(const arguments &args, std::byte *common) const;

    const backward_work &work_;
    bool scale_, shift_; // whether their gradients are computed
    bool partial_;
    jitnorm_data_type_t type_;
    std::shared_ptr<const backward_kernels<T>> kernels_;
};

} // namespace jitnorm::impl::layer_norm
