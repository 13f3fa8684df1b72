// SPDX-License-Identifier: Apache-2.0
// lanes: how the partial sums of lanes become one sum.
#pragma once

#include "constants.hpp"

namespace jitnorm::impl::layer_norm {

// Adds lane l + width to lane l, for width = N/2, ..., 2, 1. The lanes have other values afterwards.
template <typename T, int N>
T horizontal_sum(T (&lanes)[N]) {
    for (int width = N / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l) lanes[l] += lanes[l + width];
    return lanes[0];
}

} // namespace jitnorm::impl::layer_norm
