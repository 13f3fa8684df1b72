// SPDX-License-Identifier: Apache-2.0
// found_scale: the scale that the values of a row, or of a group of its columns, are divided by so that the largest of
// them becomes the largest number of dst's type (docs/arithmetic.md, "Scales that are found").
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "f8.hpp"
#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl::layer_norm {

// The larger magnitude; a NaN is larger than everything else. Its bits, as an unsigned number, are so too.
constexpr uint32_t MAGNITUDE_BITS = 0x7fffffff;
inline float larger_magnitude(float a, float b) {
    const uint32_t larger =
        std::max(std::bit_cast<uint32_t>(a) & MAGNITUDE_BITS, std::bit_cast<uint32_t>(b) & MAGNITUDE_BITS);
    return std::bit_cast<float>(larger);
}

// What the largest magnitude becomes.
constexpr float largest_number(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_s8:
        return 127;
    case jitnorm_f8_e5m2:
        return layout_of_f8<f8_e5m2>.largest;
    case jitnorm_f8_e4m3:
        return layout_of_f8<f8_e4m3>.largest;
    default:
        return 255; // u8
    }
}

struct found_scale {
    float scale, factor; // what dst is multiplied by to be read; what values are multiplied by to be stored
};

// Values that are all zero, or so small that the factor would not be finite, become zero; so do those beside an
// infinity or a NaN, which the scale tells of.
inline found_scale find_scale(float largest_magnitude, float largest_number) {
    const float scale = largest_magnitude / largest_number, factor = 1.0F / scale;
    return {scale, factor <= std::numeric_limits<float>::max() ? factor : 0.0F};
}

} // namespace jitnorm::impl::layer_norm
