// SPDX-License-Identifier: Apache-2.0
// row_sums: the two sums over a row that backward needs, s1 = sum g and s2 = sum g * xhat, to the bit. Within a chunk,
// element c goes into lane c mod BACKWARD_LANES; the lanes are folded by halves; chunks are added in order in double.
#pragma once

#include <cmath>

#include "constants.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T>
T fold_lanes(T (&lanes)[BACKWARD_LANES]) {
    for (int width = BACKWARD_LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l) lanes[l] += lanes[l + width];
    return lanes[0];
}

struct row_sums {
    double s1 = 0, s2 = 0;

    // The next chunk of the row, at most CHUNK elements.
    template <typename T>
    void add_chunk(const T *g, const T *xhat, dim_t count) {
        T lanes1[BACKWARD_LANES] = {}, lanes2[BACKWARD_LANES] = {};
        for (dim_t c = 0; c < count; c += BACKWARD_LANES) {
            const int used = count - c < BACKWARD_LANES ? int(count - c) : BACKWARD_LANES;
            for (int l = 0; l < used; ++l) {
                lanes1[l] += g[c + l];
                lanes2[l] = std::fma(g[c + l], xhat[c + l], lanes2[l]);
            }
        }
        s1 += double(fold_lanes(lanes1));
        s2 += double(fold_lanes(lanes2));
    }
};

} // namespace jitnorm::impl::layer_norm
