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

template <typename T>
T tanh(T x) {
    constexpr T ATANH_HALF = T(0.549306144334054845697622618461852852L);
    const T magnitude = std::fabs(x), square = x * x;
    const T small = std::fma(magnitude * square, horner(square, tanh_constants<T>::P), magnitude);
    const T large = T(1) - T(2) / (exp(magnitude + magnitude) + T(1));
    return std::copysign(magnitude < ATANH_HALF ? small : large, x);
}

// 2u is needed to more than T's precision, because exp turns its absolute error into a relative one.
template <typename T>
T gelu_tanh(T x) {
    using constants = tanh_constants<T>;
    const T limit = -constants::GELU_LOWEST;
    T y = x < -limit ? -limit : x;
    y = y > limit ? limit : y;
    const T square = y * y, square_low = std::fma(y, y, -square);
    const T cubic = square * constants::CUBIC;
    const T cubic_low = std::fma(square_low, constants::CUBIC,
                                 std::fma(square, constants::CUBIC_LOW, std::fma(square, constants::CUBIC, -cubic)));
    const T slope = constants::LINEAR + cubic; // and what the addition lost (two-sum):
    const T part = slope - constants::LINEAR;
    const T lost = (constants::LINEAR - (slope - part)) + (cubic - part);
    const T slope_low = lost + (cubic_low + constants::LINEAR_LOW);
    const T high = y * slope;
    const T low = std::fma(y, slope_low, std::fma(y, slope, -high));
    return times_logistic(x < -limit ? y : x, high, low);
}

} // namespace jitnorm::impl::math
