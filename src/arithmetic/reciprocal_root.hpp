// SPDX-License-Identifier: Apache-2.0
// reciprocal_root: 1 / sqrt(v) rounded to float by multiplications, which processors do several times as fast as square
// roots and divisions of doubles. The bits are those of float(1 / sqrt(v)), or it says that it does not know.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

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

// For v in ROOT_RANGE, where results are ordinary floats. Loops over it become vectors.
inline rounded_root reciprocal_root(double v) {
    constexpr double MARGIN = 0x1p-46;
    const double y = root_detail::approximate(v);
    return {float(y * (1 - MARGIN)), float(y * (1 + MARGIN))};
}

constexpr double SMALLEST_ROOT_OF = 0x1p-200, LARGEST_ROOT_OF = 0x1p200;

} // namespace jitnorm::impl::layer_norm
