// SPDX-License-Identifier: Apache-2.0
// fast_fma: runs code compiled for the processor's fma instruction where it has one. Bits do not change: std::fma is
// exact wherever it runs, it is only that much slower as a function call.
#pragma once

namespace jitnorm::impl::layer_norm {

#if defined(__x86_64__) && defined(__GNUC__)

// flatten: all that body calls is compiled once more, into this function.
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
