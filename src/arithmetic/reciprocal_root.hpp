// SPDX-License-Identifier: Apache-2.0
// reciprocal_root: 1 / sqrt(v) rounded to float by multiplications, which processors do several times as fast as square
// roots and divisions of doubles. The bits are those of float(1 / sqrt(v)), or it says that it does not know.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "constants.hpp"

namespace jitnorm::impl::layer_norm {

namespace root_detail {

constexpr uint64_t FIRST_GUESS = 0x5FE6EB50C7B537A9; // minus half of v's bits: within 3.5 % of 1 / sqrt(v)

// e = 1 - v y^2; then 1 / sqrt(v) = y / sqrt(1 - e) = y (1 + e/2 + 3/8 e^2 + 5/16 e^3 + ...)
inline double missing(double v, double y) { return std::fma(-(v * y), y, 1.0); }

// Within 2^-49 of both 1 / sqrt(v) and its value in double: after the first step e < 2.1e-4, and 35/128 e^4 is left.
inline double approximate(double v) {
    double y = std::bit_cast<double>(FIRST_GUESS - (std::bit_cast<uint64_t>(v) >> 1));
    double e = missing(v, y);
    y = std::fma(y * e, std::fma(e, 0.375, 0.5), y);
    e = missing(v, y);
    return std::fma(y * e, std::fma(e, std::fma(e, 0.3125, 0.375), 0.5), y);
}

} // namespace root_detail

struct rounded_root {
    float below, above; // the rounded value is one of these or between them
};

// For v from 2^-200 to 2^200; others give values outside of the known range, or NaN.
inline rounded_root reciprocal_root(double v) {
    constexpr double MARGIN = 0x1p-46;
    const double y = root_detail::approximate(v);
    return {float(y * (1 - MARGIN)), float(y * (1 + MARGIN))};
}

constexpr float SMALLEST_KNOWN_ROOT = 0x1p-100F, LARGEST_KNOWN_ROOT = 0x1p100F;

// 0, or another number where the rounded value is not known. (No branch: loops over it are to become vectors.)
inline int32_t is_unknown(const rounded_root &root) {
    return int32_t(root.below != root.above) | int32_t(!(root.below >= SMALLEST_KNOWN_ROOT)) |
           int32_t(!(root.below <= LARGEST_KNOWN_ROOT));
}

} // namespace jitnorm::impl::layer_norm
