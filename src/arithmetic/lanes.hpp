// SPDX-License-Identifier: Apache-2.0
// lanes: how partial sums become one.
#pragma once

#include "constants.hpp"

namespace jitnorm::impl::layer_norm {

// Lane l takes lane l + width for width = N/2, ..., 2, 1. Uses up the lanes.
template <typename T, int N>
T fold(T (&lanes)[N]) {
    for (int width = N / 2; width > 0; width /= 2)
        for (int l = 0; l < width; ++l) lanes[l] += lanes[l + width];
    return lanes[0];
}

} // namespace jitnorm::impl::layer_norm
