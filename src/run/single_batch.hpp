// SPDX-License-Identifier: Apache-2.0
// single_batch: the executor of forward where one batch is the whole problem and its rows are dense and evenly spaced
// in each tensor, as in each step of a language model. An execution does little more than to fill in the arguments of
// the kernel that does bands of rows, or one row: there are no threads, cursors or panels.
#pragma once

#include <array>
#include <memory>

#include "forward.hpp"

namespace jitnorm::impl::layer_norm {

class single_batch final : public executor {
public:
    using kernels = forward_kernels<float>;

    // The problem and the plan must be for it (takes_single_batch()).
    single_batch(const problem &p, const plan &planned, const std::shared_ptr<const kernels> &made);

    jitnorm_status_t execute(const arguments &args) const override;

private:
    std::byte *at(const arguments &args, slot s) const {
        return static_cast<std::byte *>(args[s]) + offset_[size_t(s)];
    }
    [[gnu::noinline]] void do_with_post_ops(const arguments &args, jit::forward_arguments<float> &call) const;
    [[gnu::noinline]] void go_from_row_to_row(jit::forward_arguments<float> &call) const;
    void write_statistics(const arguments &args, const forward_batch<float> &b) const;

    const problem problem_;
    const plan plan_;
    const forward<float> forward_;
    const jit::forward_kernel<float> &kernel_; // belongs to forward_
    const bool has_attributes_, has_post_ops_or_dynamic_scales_, reads_scale_, reads_shift_, writes_statistics_;
    const dim_t rows_;
    dim_t statistics_stride_ = 1;                  // elements
    std::array<dim_t, FIRST_POST_OP> offset_ = {}; // of each tensor's first element, in bytes
    std::array<dim_t, FIRST_POST_OP> step_ = {};   // from row to row of each tensor that has rows, in bytes
};

} // namespace jitnorm::impl::layer_norm
