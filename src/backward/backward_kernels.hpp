// SPDX-License-Identifier: Apache-2.0
// backward_kernels: the generated code of a backward problem. It depends on types and flags and on no size.
#pragma once

#include <optional>

#include "../core/problem.hpp"
#include "../jit/kernels/backward_data_kernel.hpp"
#include "../jit/kernels/backward_sums_kernel.hpp"
#include "../jit/kernels/backward_weights_kernel.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
struct backward_kernels {
    // Gets its kernels from the cache or generates them: throws what that throws.
    backward_kernels(const problem &p, jit::isa vectors);

    // For data inside L2; and with src of later rows prefetched.
    struct sums_kernels {
        jit::backward_sums_kernel<T> ordinary, prefetching;
    };
    std::optional<sums_kernels> sums; // nothing where there is nothing to add up

    // diff_src: for data inside L2; with diff_dst of later rows prefetched; and with non-temporal stores as well.
    struct data_kernels {
        jit::backward_data_kernel<T> ordinary, prefetching, non_temporal;
    };
    std::optional<data_kernels> data; // nothing where it is left out

    // The gradients of scale and shift: a block's sums to a part's, a part's to the total, parts to the gradient.
    struct weights_kernels {
        jit::backward_weights_kernel add_block, add_part, finish;
    };
    std::optional<weights_kernels> weights; // nothing where no such gradient is wanted
};

} // namespace jitnorm::impl::layer_norm
