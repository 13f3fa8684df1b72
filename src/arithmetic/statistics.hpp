// SPDX-License-Identifier: Apache-2.0
// statistics: the one definition of a row's mean and variance, to the bit (docs/arithmetic.md, "Statistics"): the order
// of the sums in plain C++, for the reference, around the scalar steps of moments.hpp, which generated kernels share.
#pragma once

#include <cmath>

#include "lanes.hpp"
#include "moments.hpp"

namespace jitnorm::impl::layer_norm {

namespace statistics_detail {

// Adds one block's lanes of d and d^2, d = (x - p) * k, to those of the chunk.
template <typename T>
void sweep_block(const T *x, dim_t n, T p, T k, T (&chunk_s)[FORWARD_LANES<T>], T (&chunk_q)[FORWARD_LANES<T>]) {
    T s[FORWARD_LANES<T>] = {}, q[FORWARD_LANES<T>] = {};
    for (dim_t c = 0; c < n; c += FORWARD_LANES<T>) {
        const int lanes = n - c < FORWARD_LANES<T> ? int(n - c) : FORWARD_LANES<T>;
        for (int l = 0; l < lanes; ++l) {
            const T d = (x[c + l] - p) * k;
            s[l] += d;
            q[l] = std::fma(d, d, q[l]);
        }
    }
    for (int l = 0; l < FORWARD_LANES<T>; ++l) {
        chunk_s[l] += s[l];
        chunk_q[l] += q[l];
    }
}

// S and Q of a chunk; k is a power of two, mostly 1
template <typename T>
sums<T> sweep(const T *x, dim_t n, T p, T k) {
    T s[FORWARD_LANES<T>] = {}, q[FORWARD_LANES<T>] = {};
    for (dim_t begin = 0; begin < n; begin += BLOCK)
        sweep_block(x + begin, n - begin < BLOCK ? n - begin : BLOCK, p, k, s, q);
    return {fold(s), fold(q)};
}

template <typename T>
T pivot(const T *x, dim_t n) {
    if (n < 4) return x[0];
    const T quarter = T(0.25); // exact, and no overflow where the sum of four would
    return (x[0] * quarter + x[1] * quarter) + (x[2] * quarter + x[3] * quarter);
}

} // namespace statistics_detail

// Moments of a chunk of n elements, 1 <= n <= CHUNK.
template <typename T>
moments<T> chunk_moments(const T *x, dim_t n, bool rms) {
    using namespace statistics_detail;
    const T p = rms ? T(0) : pivot(x, n);
    const auto sweep_again = [&](T new_pivot, T k) { return sweep(x, n, new_pivot, k); };
    const sums<T> first = sweep(x, n, p, T(1));
    return settle(p, first, n, rms, sweep_again);
}

// Statistics of a row of C elements, C >= 1. read_chunk(begin, count, T *out) delivers elements begin .. begin+count-1;
// it is called once per chunk.
template <typename T, typename Read>
row_statistics<T> compute_statistics(dim_t C, bool rms, Read &&read_chunk) {
    alignas(64) T x[CHUNK];
    auto chunk = [&](dim_t begin) {
        const dim_t n = C - begin < CHUNK ? C - begin : CHUNK;
        read_chunk(begin, n, x);
        return chunk_moments(x, n, rms);
    };
    moments<T> row = chunk(0);
    for (dim_t begin = CHUNK; begin < C; begin += CHUNK) row = merge(row, chunk(begin));
    return finish(row, 1.0 / double(C));
}

} // namespace jitnorm::impl::layer_norm
