// SPDX-License-Identifier: Apache-2.0
// gradient_sums: sums over columns become the gradients of scale and shift: those of a block are added to its part's,
// parts to the total (row_blocks.hpp), in double and in order.
#pragma once

#include <memory>

#include "../core/arguments.hpp"
#include "backward_batches.hpp"
#include "backward_kernels.hpp"
#include "backward_work.hpp"

namespace jitnorm::impl::layer_norm {

// Rows of sums have those of scale first, if it has a gradient, then those of shift, `pitch` sums on. T is the compute
// type.
template <typename T>
class gradient_sums {
public:
    // Keeps a reference to the work.
    gradient_sums(const problem &p, const backward_work &work, std::shared_ptr<const backward_kernels<T>> kernels);

    int count() const { return int(scale_) + int(shift_); }
    // Whether gradients can be added up where they go. Sums in double never are: they go through weights kernels.
    bool have_type_of_gradients() const { return std::is_same_v<T, float> && type_ == jitnorm_f32; }
    // Whether the sums of the parts are the result, and nothing is added to them.
    bool are_partial() const { return partial_; }

    void zero_gradients(const arguments &args) const;
    column_sums<T> begin(T *sums, dim_t pitch) const;

    // to = start, or zero where that is null, + sums; `to` may be start
    void add_block(const double *start, const T *sums, double *to, dim_t number) const;
    void add_part(const double *start, const double *sums, double *to, dim_t number) const;

    // Some columns of the gradients: start + the sums of `parts` more. Both begin with the first of the columns.
    void finish(const arguments &args, const double *start, const double *sums, dim_t parts, dim_t pitch,
                range columns) const;

    // Some columns of a part's sums, which begin with the first of them, to the result.
    void store_part(const arguments &args, dim_t part, const double *sums, dim_t pitch, range columns) const;

    // The result, of the sums of all parts; those of the first `added` have been added up in the place of part 0,
    // unless they are partial.
    void finish_parts(const arguments &args, std::byte *common, dim_t added) const;

private:
    void add_parts(const arguments &args, std::byte *common, dim_t added) const;
    void store_parts(const arguments &args, std::byte *common) const;

    const backward_work &work_;
    bool scale_, shift_; // have gradients
    bool partial_;
    jitnorm_data_type_t type_;
    std::shared_ptr<const backward_kernels<T>> kernels_;
};

} // namespace jitnorm::impl::layer_norm
