// SPDX-License-Identifier: Apache-2.0
// simd: the instructions for which C++ code is compiled, and fences.
#pragma once

#include <xmmintrin.h>

// Before a function that is compiled for vectors. As all code around kernels, it runs only with AVX2 and fma.
#define JITNORM_SIMD [[gnu::target("avx2,fma")]]

namespace jitnorm::impl::layer_norm {

// with_fast_fma() runs code that is compiled for the processor's fma instruction, where the processor has it. The bits
// of results do not change: std::fma rounds once everywhere, but without the instruction it is a slow function call.
// `flatten` inlines all functions that body calls, so that they are compiled for fma, too.
template <typename Body>
[[gnu::flatten, gnu::target("avx2,fma")]] void run_compiled_for_fma(Body &body) {
    body();
}

template <typename Body>
void with_fast_fma(Body &&body) {
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
        run_compiled_for_fma(body);
    else
        body();
}

// The fence after non-temporal stores. Other threads may see such stores in any order until a fence. A fence waits for
// memory, so there is one at the end of a thread's work and none in a kernel.
inline void finish_non_temporal_stores(bool there_were_some) {
    if (there_were_some) _mm_sfence();
}

} // namespace jitnorm::impl::layer_norm
