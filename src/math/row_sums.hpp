// SPDX-License-Identifier: Apache-2.0
// row_sums: the sums over a row, defined to the bit: for forward, from which mean and variance follow, and for
// backward, with the constants of diff_src that follow from them (docs/arithmetic.md, "Sums" and "Backward").
#pragma once

#include <cmath>

#include "../base/parallel.hpp"
#include "constants.hpp"
#include "moments.hpp"

namespace jitnorm::impl::layer_norm {

// ---- The mean and the variance of a row as the reference computes them (docs/arithmetic.md, "Statistics"). Here is
// the order of the sums; the scalar steps are in moments.hpp, which the executors of generated kernels use as well.

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

struct row_sums {
    double s1 = 0, s2 = 0;

    // Adds the next chunk of the row, which has at most CHUNK elements. Calls read(begin, count, T *g, T *xhat), which
    // writes the elements begin .. begin+count-1, for one block after the other, since threads may have little stack.
    template <typename T, typename Read>
    void add_chunk(range chunk, Read &&read) {
        T g[BLOCK], xhat[BLOCK];
        T lanes1[BACKWARD_LANES<T>] = {}, lanes2[BACKWARD_LANES<T>] = {};
        for (dim_t begin = chunk.begin; begin < chunk.end; begin += BLOCK) {
            const dim_t count = chunk.end - begin < BLOCK ? chunk.end - begin : BLOCK;
            read(begin, count, g, xhat);
            add_block(g, xhat, count, lanes1, lanes2);
        }
        s1 += double(horizontal_sum(lanes1));
        s2 += double(horizontal_sum(lanes2));
    }

private:
    template <typename T>
    static void add_block(const T *g, const T *xhat, dim_t count, T (&chunk1)[BACKWARD_LANES<T>],
                          T (&chunk2)[BACKWARD_LANES<T>]) {
        constexpr int LANES = BACKWARD_LANES<T>;
        T lanes1[LANES] = {}, lanes2[LANES] = {};
        for (dim_t c = 0; c < count; c += LANES) {
            const int used = count - c < LANES ? int(count - c) : LANES;
            for (int l = 0; l < used; ++l) {
                lanes1[l] += g[c + l];
                lanes2[l] = std::fma(g[c + l], xhat[c + l], lanes2[l]);
            }
        }
        for (int l = 0; l < LANES; ++l) {
            chunk1[l] += lanes1[l];
            chunk2[l] += lanes2[l];
        }
    }
};

// The constants of a row in diff_src = rstd * fma(mean - x, k, g - m1).
template <typename T>
struct row_slopes {
    T m1, k;
};

template <typename T>
row_slopes<T> slopes_of(const row_sums &sums, double inv_count, T rstd) {
    return {T(sums.s1 * inv_count), T((sums.s2 * inv_count) * double(rstd))};
}

} // namespace jitnorm::impl::layer_norm
