// SPDX-License-Identifier: Apache-2.0
// tanh: the hyperbolic tangent and the GELU built on it, defined to the bit as exp.hpp says.
//
//   |x| < atanh(1/2): x + x^3 p(x^2)         otherwise: 1 - 2 / (exp(2 |x|) + 1), with the sign of x
//   gelu_tanh(x) = x / (1 + exp(-2u)),  u = sqrt(2/pi) (x + 0.044715 x^3)
//
// Measured against the exact values: tanh below 1.5 ulp, gelu_tanh below 2 ulp, float and double alike.
#pragma once

#include "exp.hpp"

namespace jitnorm::impl::math {

template <typename T>
struct tanh_constants;

template <>
struct tanh_constants<float> {
    static constexpr float P[] = {-0x1.b14598p-8f, 0x1.5d243ap-6f, -0x1.b9a072p-5f, // x^2 <= 0.3024
                                  0x1.110feap-3f, -0x1.555554p-2f};
    // 2 sqrt(2/pi) and that times 0.044715, each as high + low
    static constexpr float LINEAR = 0x1.988454p+0f, LINEAR_LOW = -0x1.857936p-25f;
    static constexpr float CUBIC = 0x1.2444f2p-4f, CUBIC_LOW = 0x1.49b16ap-29f;
    static constexpr float GELU_LOWEST = -12; // below, gelu_tanh is 0
};

template <>
struct tanh_constants<double> {
    static constexpr double P[] = {-0x1.59c4f34be82f3p-16, 0x1.6507dfcccc4cp-14,   -0x1.ec13b85ddf181p-13,
                                   0x1.34c5ec979de7ap-11,  -0x1.7d97d6b475ff6p-10, 0x1.d6d339a17ea17p-9,
                                   -0x1.226e32f223e27p-7,  0x1.664f48771ecefp-6,   -0x1.ba1ba1b9fee8cp-5,
                                   0x1.1111111111033p-3,   -0x1.5555555555555p-2};
    static constexpr double LINEAR = 0x1.9884533d43651p+0, LINEAR_LOW = -0x1.cbc0d30ebfd15p-54;
    static constexpr double CUBIC = 0x1.2444f2a4d8b4bp-4, CUBIC_LOW = -0x1.6c843a29d1c7p-61;
    static constexpr double GELU_LOWEST = -24;
};

template <typename V>
V tanh(V x) {
    constexpr auto ATANH_HALF = scalar_of<V>(0.549306144334054845697622618461852852L);
    const V magnitude = absolute(x), square = x * x;
    const V small = fma(magnitude * square, horner(square, tanh_constants<scalar_of<V>>::P), magnitude);
    const V large = V(1) - V(2) / (exp(magnitude + magnitude) + V(1));
    return copy_sign(select(magnitude < V(ATANH_HALF), small, large), x);
}

// 2u / x of gelu_tanh, as high + low.
template <typename V>
struct gelu_slope {
    V high, low;
};

template <typename V>
gelu_slope<V> gelu_slope_at(V x) {
    using constants = tanh_constants<scalar_of<V>>;
    const V square = x * x, square_low = fma(x, x, -square);
    const V cubic = square * V(constants::CUBIC);
    const V product_low = fma(square, V(constants::CUBIC), -cubic);
    const V cubic_low = fma(square_low, V(constants::CUBIC), fma(square, V(constants::CUBIC_LOW), product_low));
    const V high = V(constants::LINEAR) + cubic;
    const V part = high - V(constants::LINEAR);
    const V lost = (V(constants::LINEAR) - (high - part)) + (cubic - part); // what the addition lost (two-sum)
    return {high, lost + (cubic_low + V(constants::LINEAR_LOW))};
}

// 2u is computed more exactly than its type can hold, because exp turns an absolute error into a relative one.
template <typename V>
V gelu_tanh(V x) {
    const V lowest = V(tanh_constants<scalar_of<V>>::GELU_LOWEST), highest = -lowest;
    const V y = minimum(highest, maximum(lowest, x));
    const gelu_slope<V> slope = gelu_slope_at(y);
    const V high = y * slope.high;
    const V low = fma(y, slope.low, fma(y, slope.high, -high));
    return times_logistic(select(x < lowest, y, x), high, low);
}

} // namespace jitnorm::impl::math
