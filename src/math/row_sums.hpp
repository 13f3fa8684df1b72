// SPDX-License-Identifier: Apache-2.0
// row_sums: the two sums over a row that backward needs, s1 = sum g and s2 = sum g * xhat, and the constants of
// diff_src that follow from them, defined to the bit (docs/arithmetic.md, "Sums" and "Backward").
#pragma once

#include <cmath>

#include "../base/parallel.hpp"
#include "lanes.hpp"

namespace jitnorm::impl::layer_norm {

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
