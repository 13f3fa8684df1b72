// SPDX-License-Identifier: Apache-2.0
// horner: the one way polynomials are evaluated here.
//
// The coefficients in exp.hpp, tanh.hpp and erf.hpp are ours: each interpolates its function at the Chebyshev nodes of
// the interval named beside it, computed with 60 digits and rounded once.
#pragma once

#include <cmath>
#include <cstddef>

namespace jitnorm::impl::math {

// coefficients[0] x^(N-1) + ... + coefficients[N-1], by N-1 fma
template <typename T, size_t N>
T horner(T x, const T (&coefficients)[N]) {
    T sum = coefficients[0];
    for (size_t i = 1; i < N; ++i) sum = std::fma(sum, x, coefficients[i]);
    return sum;
}

} // namespace jitnorm::impl::math
