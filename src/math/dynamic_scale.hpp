// SPDX-License-Identifier: Apache-2.0
// dynamic_scale: the scale by which the values of a row, or of a group of its columns, are divided, so that the largest
// magnitude becomes the largest number of dst's type (docs/arithmetic.md, "Dynamic scales").
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "../tensor/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

// The larger of two magnitudes, whose bits are ordered as unsigned integers; a NaN is larger than every number.
constexpr uint32_t MAGNITUDE_BITS = 0x7fffffff;
inline float larger_magnitude(float a, float b) {
    const uint32_t larger =
        std::max(std::bit_cast<uint32_t>(a) & MAGNITUDE_BITS, std::bit_cast<uint32_t>(b) & MAGNITUDE_BITS);
    return std::bit_cast<float>(larger);
}

// The number of dst's type that the largest magnitude becomes.
constexpr float largest_number(jitnorm_data_type_t type) { return float(properties_of(type).largest); }

struct dynamic_scale {
    float scale;  // readers of dst multiply its elements by this
    float factor; // values are multiplied by this before they are stored
};

// The factor is 0 where 1 / scale is not a finite number, so that zeros are stored: if all values are zero or too
// small, and if there is an infinity or a NaN among them; then the scale is infinite or NaN, too.
inline dynamic_scale find_scale(float largest_magnitude, float largest_number) {
    const float scale = largest_magnitude / largest_number, factor = 1.0F / scale;
    return {scale, factor <= std::numeric_limits<float>::max() ? factor : 0.0F};
}

} // namespace jitnorm::impl::layer_norm
