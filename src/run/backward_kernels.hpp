// SPDX-License-Identifier: Apache-2.0
// backward_kernels: the kernels of a backward problem. Which there are follows from types and flags, and from the plan:
// the kernels of the steps that it takes, and the stores and prefetches that it says.
#pragma once

#include <optional>

#include "../jit/kernels/kernels.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
struct backward_kernels {
    // Takes the kernels from the kernel cache or generates them. Throws std::system_error when executable pages are
    // refused.
    // Only those are made that the plan needs; all that the problem may need if there is no plan yet (run-time sizes).
    backward_kernels(const problem &p, const plan *planned, jit::isa vectors);

    // Whether one kernel may both sum up rows and write them.
    static bool does_both(const problem &p);

    // Empty where all rows go in bands.
    std::optional<jit::backward_sums_kernel<T>> sums; // over rows and columns; empty: the problem needs no sums
    std::optional<jit::backward_data_kernel<T>> data, data_non_temporal; // diff_src; empty: it is omitted

    std::optional<jit::stores_of<jit::backward_loop_kernel<T>>> loop; // write diff_src while they sum up other rows
    std::optional<jit::stores_of<jit::backward_rows_kernel<T>>> rows; // do bands of rows

    // Add up the gradients of scale and shift: sums of row blocks to that of a part, sums of parts to a total, sums of
    // parts to the gradient, and those of the only row block, if there may be but one.
    struct weights_kernels {
        jit::backward_weights_kernel add_block, add_part, finish;
        std::optional<jit::backward_block_kernel<T>> finish_block;
    };
    std::optional<weights_kernels> weights; // empty: neither gradient is written

private:
    void make_steps(const problem &p, const plan *planned, jit::isa vectors);
};

} // namespace jitnorm::impl::layer_norm
