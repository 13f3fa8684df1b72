// SPDX-License-Identifier: Apache-2.0
// parallel_ranges: loops over rows or columns, on as many threads as the work is worth and with the processor's fma
// where it has one. Neither changes a bit: std::fma is exact wherever it runs.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../core/parallel.hpp"

namespace jitnorm::impl::layer_norm::reference {

constexpr size_t BYTES_PER_THREAD = 32 * 1024; // below this a thread costs more than it saves

#if defined(__x86_64__) && defined(__GNUC__)
// All that body calls is compiled once more, into this function, for a processor with fma.
template <typename Body>
[[gnu::flatten, gnu::target("avx2,fma")]] void run_with_fma(Body &body, range r) {
    body(r);
}
inline bool has_fma() { return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"); }
#else
template <typename Body>
void run_with_fma(Body &body, range r) {
    body(r);
}
inline bool has_fma() { return false; }
#endif

// Calls body(range) for disjoint ranges that cover 0 .. count-1; `bytes` is the size of all the data they touch.
template <typename Body>
void parallel_ranges(dim_t count, size_t bytes, Body &&body) {
    const dim_t wanted = std::min(count, dim_t(bytes / BYTES_PER_THREAD + 1));
    const int parts = int(std::min<dim_t>(wanted, max_threads()));
    const bool fma = has_fma();
    parallel_parts(parts, [&](int part) {
        const range r = split(count, parts, part);
        if (fma)
            run_with_fma(body, r);
        else
            body(r);
    });
}

} // namespace jitnorm::impl::layer_norm::reference
