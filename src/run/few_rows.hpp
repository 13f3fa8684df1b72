// SPDX-License-Identifier: Apache-2.0
// few_rows: the executor of forward where there are few rows, dense and evenly spaced in each tensor, as in each step
// of a language model. One kernel does each row (jit::forward_row_kernel), so an execution does little more than to
// fill in its arguments: there are no threads, batches or panels. A row of more than a chunk is reduced chunk by chunk
// before.
#pragma once

#include <array>
#include <memory>

#include "forward.hpp"

namespace jitnorm::impl::layer_norm {

class few_rows final : public executor {
public:
    using kernels = forward_kernels<float>;

    // More rows than this take less time in batches, since their statistics are found together.
    static constexpr dim_t MOST = 4;
    // Whether the problem has so few rows, and whether they lie evenly spaced. Each of them must be dense.
    static bool take(const problem &p, const row_tensors &tensors);

    // The plan must say rows_alone::few, one thread and panels of whole rows, and take() must be true.
    few_rows(const problem &p, const plan &planned, const std::shared_ptr<const kernels> &made);

    jitnorm_status_t execute(const arguments &args) const override;

private:
    std::byte *at(const arguments &args, slot s, dim_t row = 0) const {
        return static_cast<std::byte *>(args[s]) + offset_[size_t(s)] + row * step_[size_t(s)];
    }
    std::byte *row_of_sums(const arguments &args, dim_t row) const;
    void add_residual(const arguments &args, dim_t row, jit::forward_row_arguments &call) const;
    // Makes the sum with a residual, if there is one, and returns the moments of the row.
    moments<float> reduce_chunks(const arguments &args, dim_t row, const jit::forward_row_arguments &call) const;
    void take_scales(const arguments &args, jit::normalize_arguments<float> &call) const;
    void write_statistics(const arguments &args, dim_t row, const jit::forward_row_numbers &found) const;

    const problem problem_;
    const plan plan_;
    const forward<float> forward_;
    const jit::forward_row_kernel &kernel_; // belongs to forward_
    const bool quantizes_, writes_statistics_;
    const dim_t rows_;
    const dim_t sum_size_;                         // bytes of an element of the output for the sum
    std::array<dim_t, FIRST_POST_OP> offset_ = {}; // of each tensor's first element, in bytes
    std::array<dim_t, FIRST_POST_OP> step_ = {};   // from row to row of each tensor that has rows, in bytes
};

} // namespace jitnorm::impl::layer_norm
