// SPDX-License-Identifier: Apache-2.0
// forward_kernels: the generated code of a forward problem. It depends on types, flags and attributes and on no size.
#pragma once

#include "../core/problem.hpp"
#include "../jit/normalize_kernel.hpp"
#include "../jit/sweep_kernel.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
struct forward_kernels {
    // Gets its kernels from the cache or generates them: throws what that throws.
    forward_kernels(const problem &p, jit::isa vectors);

    jit::sweep_kernel<T> sweep, repeat;            // the first sweep over rows, and one with a given pivot
    jit::normalize_kernel<T> normalize, bypassing; // with ordinary stores, and with stores that bypass the caches
};

} // namespace jitnorm::impl::layer_norm
