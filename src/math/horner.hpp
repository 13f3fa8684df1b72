// SPDX-License-Identifier: Apache-2.0
// horner: the way in which all functions of this folder evaluate polynomials.
//
// The coefficients in exp.hpp, log.hpp, pow.hpp, tanh.hpp and erf.hpp were computed for this library. Each polynomial
// interpolates its function at the Chebyshev nodes of the interval that is written beside it; the coefficients were
// computed with 60 digits and rounded once.
#pragma once

#include <cstddef>

#include "number.hpp"

namespace jitnorm::impl::math {

// coefficients[0] x^(N-1) + ... + coefficients[N-1], by N-1 fma
template <typename V, size_t N>
V horner(V x, const scalar_of<V> (&coefficients)[N]) {
    V sum = coefficients[0];
    for (size_t i = 1; i < N; ++i) sum = fma(sum, x, V(coefficients[i]));
    return sum;
}

} // namespace jitnorm::impl::math
