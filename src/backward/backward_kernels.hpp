// SPDX-License-Identifier: Apache-2.0
// backward_kernels: the kernels of a backward problem. They depend on types and flags, not on sizes.
#pragma once

#include <optional>

#include "../jit/kernels/kernels.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
struct backward_kernels {
    // Takes the kernels from the kernel cache or generates them. Throws what code_of() throws (kernel.hpp).
    backward_kernels(const problem &p, jit::isa vectors);

    // Compute sums over rows and columns. `ordinary` is for data inside L2, `prefetching` also prefetches src of later
    // rows.
    struct sums_kernels {
        jit::backward_sums_kernel<T> ordinary, prefetching;
    };
    std::optional<sums_kernels> sums; // empty: the problem needs no sums

    // Compute diff_src. `ordinary` is for data inside L2. `prefetching` also prefetches diff_dst of later rows; so does
    // `non_temporal`, which has non-temporal stores besides.
    struct data_kernels {
        jit::backward_data_kernel<T> ordinary, prefetching, non_temporal;
    };
    std::optional<data_kernels> data; // empty: diff_src is left out

    // Add up the gradients of scale and shift: sums of row blocks to that of a part, sums of parts to a total, and sums
    // of parts to the gradient.
    struct weights_kernels {
        jit::backward_weights_kernel add_block, add_part, finish;
    };
    std::optional<weights_kernels> weights; // empty: neither gradient is written
};

} // namespace jitnorm::impl::layer_norm
