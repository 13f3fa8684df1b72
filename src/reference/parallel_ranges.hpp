// SPDX-License-Identifier: Apache-2.0
// parallel_ranges: runs loops over rows or columns on as many threads as are worth starting.
#pragma once

#include <algorithm>
#include <cstddef>

#include "../base/parallel.hpp"
#include "../math/fast_fma.hpp"

namespace jitnorm::impl::layer_norm::reference {

constexpr size_t BYTES_PER_THREAD = 32 * 1024; // a thread with less work than this costs more time than it saves

// Calls body(range) for disjoint ranges that cover 0 .. count-1. `bytes` is the size of all data that the calls read
// and write.
template <typename Body>
void parallel_ranges(dim_t count, size_t bytes, Body &&body) {
    const dim_t wanted = std::min(count, dim_t(bytes / BYTES_PER_THREAD + 1));
    const int parts = int(std::min<dim_t>(wanted, max_threads()));
    parallel_parts(parts, [&](int part) {
        const range r = split(count, parts, part);
        with_fast_fma([&] { body(r); });
    });
}

} // namespace jitnorm::impl::layer_norm::reference
