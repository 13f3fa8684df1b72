// SPDX-License-Identifier: Apache-2.0
// fast_fma: runs code that is compiled for the processor's fma instruction, where the processor has it. The bits of
// results do not change: std::fma rounds once everywhere, but without the instruction it is a slow function call.
#pragma once

namespace jitnorm::impl::layer_norm {

#if defined(__x86_64__) && defined(__GNUC__)

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

#else

template <typename Body>
void with_fast_fma(Body &&body) {
    body();
}

#endif

} // namespace jitnorm::impl::layer_norm
