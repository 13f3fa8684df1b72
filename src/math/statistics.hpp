// SPDX-License-Identifier: Apache-2.0
// statistics: the mean and the variance of a row as the reference computes them, defined to the bit
// (docs/arithmetic.md, "Statistics"). Here is the order of the sums; the scalar steps are in moments.hpp, which the
// executors of generated kernels use as well.
#pragma once

#include <cmath>

#include "../base/parallel.hpp"
#include "lanes.hpp"
#include "moments.hpp"

namespace jitnorm::impl::layer_norm {

namespace statistics_detail {

// Sums d and d^2 of a block of n elements, with d = (x - p) * k, in lanes, and adds these to the lanes of the chunk.
template <typename T>
void reduce_block(const T *x, dim_t n, T p, T k, T (&chunk_s)[FORWARD_LANES<T>], T (&chunk_q)[FORWARD_LANES<T>]) {
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

// S and Q of a chunk; k is a power of two, mostly 1. Reads one block at a time, since threads may have little stack.
template <typename T, typename Read>
sums<T> reduce(range chunk, T p, T k, Read &&read) {
    alignas(64) T x[BLOCK];
    T s[FORWARD_LANES<T>] = {}, q[FORWARD_LANES<T>] = {};
    for (dim_t begin = chunk.begin; begin < chunk.end; begin += BLOCK) {
        const dim_t count = chunk.end - begin < BLOCK ? chunk.end - begin : BLOCK;
        read(begin, count, x);
        reduce_block(x, count, p, k, s, q);
    }
    return {horizontal_sum(s), horizontal_sum(q)};
}

template <typename T, typename Read>
T pivot(range chunk, Read &&read) {
    const bool few = chunk.end - chunk.begin < 4;
    T x[4];
    read(chunk.begin, few ? 1 : 4, x);
    if (few) return x[0];
    const T quarter = T(0.25); // multiplying before adding is exact and does not overflow where the sum of four would
    return (x[0] * quarter + x[1] * quarter) + (x[2] * quarter + x[3] * quarter);
}

} // namespace statistics_detail

// The moments of a chunk, which is 1 to CHUNK elements of a row. `read` is that of compute_statistics().
template <typename T, typename Read>
moments<T> chunk_moments(range chunk, bool rms, Read &&read) {
    using namespace statistics_detail;
    const T p = rms ? T(0) : pivot<T>(chunk, read);
    const auto reduce_again = [&](T new_pivot, T k) { return reduce(chunk, new_pivot, k, read); };
    return refine(p, reduce(chunk, p, T(1), read), chunk.end - chunk.begin, rms, reduce_again);
}

// The statistics of a row of C elements, C >= 1. read(begin, count, T *out) writes the elements begin .. begin+count-1,
// at most BLOCK of them, to `out`; it is called more than once for the same elements.
template <typename T, typename Read>
row_statistics<T> compute_statistics(dim_t C, bool rms, Read &&read) {
    const auto chunk = [&](dim_t begin) {
        return chunk_moments<T>({begin, C - begin < CHUNK ? C : begin + CHUNK}, rms, read);
    };
    moments<T> row = chunk(0);
    for (dim_t begin = CHUNK; begin < C; begin += CHUNK) row = merge(row, chunk(begin));
    return finish(row, 1.0 / double(C));
}

} // namespace jitnorm::impl::layer_norm
