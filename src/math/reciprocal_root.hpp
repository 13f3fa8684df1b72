// SPDX-License-Identifier: Apache-2.0
// reciprocal_root: 1 / sqrt(v) rounded to float, by multiplications only, which are several times as fast as a square
// root and a division of doubles. The result either has the bits of float(1 / sqrt(v)) or is marked as unknown.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "constants.hpp"

namespace jitnorm::impl::layer_norm {

namespace root_detail {

constexpr uint64_t FIRST_GUESS = 0x5FE6EB50C7B537A9; // this minus v's bits / 2: within 3.5 % of 1 / sqrt(v)

// The error e = 1 - v y^2 of an approximation y. The exact value is 1 / sqrt(v) = y / sqrt(1 - e) =
// y (1 + e/2 + 3/8 e^2 + 5/16 e^3 + ...), of which a step takes the first terms.
inline double missing(double v, double y) { return std::fma(-(v * y), y, 1.0); }

// Differs by less than a factor of 1 + 2^-49 from the exact 1 / sqrt(v) and from its value in double: after the first
// step |e| < 2.1e-4, and the first term that the second step leaves out is 35/128 e^4.
inline double approximate(double v) {
    double y = std::bit_cast<double>(FIRST_GUESS - (std::bit_cast<uint64_t>(v) >> 1));
    double e = missing(v, y);
    y = std::fma(y * e, std::fma(e, 0.375, 0.5), y);
    e = missing(v, y);
    return std::fma(y * e, std::fma(e, std::fma(e, 0.3125, 0.375), 0.5), y);
}

} // namespace root_detail

struct rounded_root {
    float below, above; // below <= float(1 / sqrt(v)) <= above
};

// For v from 2^-200 to 2^200. For any other v the results are NaN or outside the range of known roots.
inline rounded_root reciprocal_root(double v) {
    constexpr double MARGIN = 0x1p-46;
    const double y = root_detail::approximate(v);
    return {float(y * (1 - MARGIN)), float(y * (1 + MARGIN))};
}

constexpr float SMALLEST_KNOWN_ROOT = 0x1p-100F, LARGEST_KNOWN_ROOT = 0x1p100F;

// 0 if the rounded value is known: it is root.below. Otherwise another number. The function has no branch, so that the
// compiler can turn loops that call it into vector code.
inline int32_t is_unknown(const rounded_root &root) {
    return int32_t(root.below != root.above) | int32_t(!(root.below >= SMALLEST_KNOWN_ROOT)) |
           int32_t(!(root.below <= LARGEST_KNOWN_ROOT));
}

} // namespace jitnorm::impl::layer_norm
