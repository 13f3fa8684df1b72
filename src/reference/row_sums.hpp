// SPDX-License-Identifier: Apache-2.0
// row_sums: the sums over a row, defined to the bit, for forward, from which mean and variance follow, and for backward
// (docs/arithmetic.md, "Sums" and "Backward").
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "../math/constants.hpp"
#include "../math/moments.hpp"

namespace jitnorm::impl::layer_norm {

// Two sums over a chunk. Calls read(begin, count) for one block after the other, since threads may have little stack,
// and add(i, first, second) for each element of the block, which adds the element to one lane of either sum.
template <typename T, int LANES, typename Read, typename Add>
std::pair<T, T> sum_in_lanes(range chunk, Read &&read, Add &&add) {
    T first[LANES] = {}, second[LANES] = {};
    for (dim_t begin = chunk.begin; begin < chunk.end; begin += BLOCK) {
        const dim_t count = std::min(BLOCK, chunk.end - begin);
        read(begin, count);
        T of_block[LANES] = {}, second_of_block[LANES] = {};
        for (dim_t i = 0; i < count; i += LANES) {
            const int used = int(std::min<dim_t>(count - i, LANES));
            for (int l = 0; l < used; ++l) add(i + l, of_block[l], second_of_block[l]);
        }
        for (int l = 0; l < LANES; ++l) {
            first[l] += of_block[l];
            second[l] += second_of_block[l];
        }
    }
    return {horizontal_sum(first), horizontal_sum(second)};
}

// ---- The mean and the variance of a row as the reference computes them (docs/arithmetic.md, "Statistics"). Here is
// the order of the sums; the scalar steps are in moments.hpp, which the executors of generated kernels use as well.

// S and Q of a chunk, with d = (x - p) * k; k is a power of two, mostly 1.
template <typename T, typename Read>
sums<T> reduce_chunk(range chunk, T p, T k, Read &&read) {
    alignas(64) T x[BLOCK];
    const auto [s, q] = sum_in_lanes<T, FORWARD_LANES<T>>(
        chunk, [&](dim_t begin, dim_t count) { read(begin, count, x); },
        [&](dim_t i, T &sum, T &squares) {
            const T d = (x[i] - p) * k;
            sum += d;
            squares = std::fma(d, d, squares);
        });
    return {s, q};
}

template <typename T, typename Read>
T pivot_of(range chunk, Read &&read) {
    const bool few = chunk.end - chunk.begin < 4;
    T x[4];
    read(chunk.begin, few ? 1 : 4, x);
    if (few) return x[0];
    const T quarter = T(0.25); // multiplying before adding is exact and does not overflow where the sum of four would
    return (x[0] * quarter + x[1] * quarter) + (x[2] * quarter + x[3] * quarter);
}

// The moments of a chunk, which is 1 to CHUNK elements of a row. `read` is that of compute_statistics().
template <typename T, typename Read>
moments<T> chunk_moments(range chunk, bool rms, Read &&read) {
    const T p = rms ? T(0) : pivot_of<T>(chunk, read);
    const auto reduce_again = [&](T new_pivot, T k) { return reduce_chunk(chunk, new_pivot, k, read); };
    return refine(p, reduce_chunk(chunk, p, T(1), read), chunk.end - chunk.begin, rms, reduce_again);
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
