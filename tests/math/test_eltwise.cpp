// SPDX-License-Identifier: Apache-2.0
// Our own transcendental functions: their error in ulps of the result, over a sample of all floats and over
// random doubles, against the mathematical library in a wider type; and their values at the ends.
#include "math/post_ops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string_view>

#include "norm/attributes.hpp"

namespace jitnorm::impl {
namespace {

using exact_type = long double;

// x sigma(s), without overflow
exact_type times_sigma(exact_type x, exact_type s) {
    if (std::isinf(x) && s < 0) return 0;
    return s >= 0 ? x / (1 + std::exp(-s)) : x * std::exp(s) / (1 + std::exp(s));
}

exact_type exact_gelu_tanh(exact_type x) {
    static const exact_type slope = 2 * std::sqrt(2 / std::acos(exact_type(-1)));
    return times_sigma(x, slope * (x + 0.044715L * x * x * x));
}

exact_type exact_gelu_erf(exact_type x) {
    return std::isinf(x) ? (x > 0 ? x : 0) : 0.5L * x * std::erfc(-x / std::sqrt(2.0L));
}

template <typename T>
struct function_case {
    const char *name;
    T (*ours)(T);
    exact_type (*exact)(exact_type);
    double bound; // in ulps
    double reach; // where random doubles are taken from
};

exact_type exact_soft_relu(exact_type x, exact_type alpha) {
    const exact_type u = alpha * x;
    return (u > 0 ? u + std::log1p(std::exp(-u)) : std::log1p(std::exp(u))) / alpha;
}

// x tanh(log(1 + e^x)); e^2x + 2 e^x over that and 2, where tanh loses digits
exact_type exact_mish(exact_type x) {
    if (std::isinf(x)) return x > 0 ? x : 0;
    const exact_type t = std::exp(-std::fabs(x));
    return x < 0 ? x * t * (t + 2) / (t * (t + 2) + 2) : x * (1 + 2 * t) / (1 + 2 * t + 2 * t * t);
}

// Where the exponent is HALVES / 2.
template <typename T, int HALVES>
function_case<T> power_case(const char *name) {
    return {name, [](T x) { return math::pow(x, T(HALVES) / 2); },
            [](exact_type x) { return std::pow(x, exact_type(HALVES) / 2); }, 1, HALVES > 100 ? 4.0 : 1e9};
}

template <typename T>
std::vector<function_case<T>> functions() {
    return {
        {"exp", [](T x) { return math::exp(x); }, [](exact_type x) { return std::exp(x); }, 0.9, 750},
        {"logistic", [](T x) { return math::logistic(x); }, [](exact_type x) { return times_sigma(1, x); }, 2, 750},
        {"tanh", [](T x) { return math::tanh(x); }, [](exact_type x) { return std::tanh(x); }, 1.5, 25},
        {"swish 1", [](T x) { return math::swish(x, T(1)); }, [](exact_type x) { return times_sigma(x, x); }, 2, 760},
        {"swish 1.75", [](T x) { return math::swish(x, T(1.75)); },
         [](exact_type x) { return times_sigma(x, x * 1.75L); }, 2, 440},
        {"swish -2.3125", [](T x) { return math::swish(x, T(-2.3125)); },
         [](exact_type x) { return times_sigma(x, x * -2.3125L); }, 2, 330},
        {"gelu_tanh", [](T x) { return math::gelu_tanh(x); }, exact_gelu_tanh, 2, 22},
        {"gelu_erf", [](T x) { return math::gelu_erf(x); }, exact_gelu_erf, 1.8, 39},
        {"elu 1", [](T x) { return math::elu(x, T(1)); }, [](exact_type x) { return x > 0 ? x : std::expm1(x); }, 1.5,
         50},
        {"elu 0.3", [](T x) { return math::elu(x, T(0.3)); },
         [](exact_type x) { return x > 0 ? x : T(0.3) * std::expm1(x); }, 2, 50},
        {"log", [](T x) { return math::log(x); }, [](exact_type x) { return std::log(x); }, 1, 1e9},
        {"soft_relu 1", [](T x) { return math::soft_relu(x, T(1)); },
         [](exact_type x) { return exact_soft_relu(x, 1); }, 2.5, 750},
        {"soft_relu 1.75", [](T x) { return math::soft_relu(x, T(1.75)); },
         [](exact_type x) { return exact_soft_relu(x, 1.75L); }, 2.5, 440},
        {"soft_relu -2.3125", [](T x) { return math::soft_relu(x, T(-2.3125)); },
         [](exact_type x) { return exact_soft_relu(x, -2.3125L); }, 2.5, 330},
        {"mish", [](T x) { return math::mish(x); }, exact_mish, 2.5, 760},
        power_case<T, -3>("pow -3"),
        power_case<T, 1>("pow 0.5"),
        power_case<T, 4>("pow 2"),
        power_case<T, 6>("pow 3"),
        power_case<T, 75>("pow 37.5"),
        power_case<T, 500>("pow 250")};
}

// The distance from `got` to `exact` in units of T's last place at `exact`.
template <typename T>
double ulps(T got, exact_type exact) {
    using limits = std::numeric_limits<T>;
    if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : INFINITY;
    if (std::isinf(got) || std::isinf(T(exact))) return got == T(exact) ? 0 : INFINITY;
    const int exponent = exact == 0 ? limits::min_exponent : std::max(std::ilogb(exact) + 1, limits::min_exponent);
    return double(std::fabs(exact_type(got) - exact) / std::ldexp(exact_type(1), exponent - limits::digits));
}

template <typename T>
struct worst_case {
    double error = 0;
    T at = 0;

    void look_at(const function_case<T> &f, T x) {
        const double now = ulps(f.ours(x), f.exact(exact_type(x)));
        if (now > error) *this = {now, x};
    }
};

TEST(eltwise, floats_within_their_bounds) {
    for (const auto &f : functions<float>()) {
        worst_case<float> worst;
        for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 9973)
            worst.look_at(f, std::bit_cast<float>(uint32_t(bits)));
        EXPECT_LE(worst.error, f.bound) << f.name << " at " << std::hexfloat << worst.at;
    }
}

TEST(eltwise, doubles_within_their_bounds) {
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1), exponent(-40, 0);
    for (const auto &f : functions<double>()) {
        worst_case<double> worst;
        for (int i = 0; i < 200000; ++i) {
            worst.look_at(f, uniform(generator) * f.reach);
            worst.look_at(f, uniform(generator) * 4);
            worst.look_at(f, std::copysign(std::exp2(exponent(generator)), uniform(generator)));
        }
        EXPECT_LE(worst.error, f.bound) << f.name << " at " << std::hexfloat << worst.at;
    }
}

template <typename T>
class eltwise_of_each_type : public testing::Test {};
using computed_types = testing::Types<float, double>;
TYPED_TEST_SUITE(eltwise_of_each_type, computed_types);

// Where the exact result is a number of the type, as limits are, it is the result. Powers have a test of their own.
TYPED_TEST(eltwise_of_each_type, values_at_the_ends) {
    using T = TypeParam;
    constexpr T INF = std::numeric_limits<T>::infinity(), MAX = std::numeric_limits<T>::max();
    for (const auto &f : functions<T>()) {
        if (std::string_view(f.name).starts_with("pow")) continue;
        for (const T x : {-INF, -MAX, T(-0.0), T(0), MAX, INF}) {
            const exact_type exact = f.exact(exact_type(x));
            const bool is_a_number = exact == exact_type(T(exact));
            EXPECT_LE(ulps(f.ours(x), exact), is_a_number ? 0 : f.bound) << f.name << " at " << x;
        }
    }
    EXPECT_EQ(math::log(T(1)), T(0));
    EXPECT_TRUE(std::isnan(math::log(-std::numeric_limits<T>::denorm_min())));
    EXPECT_TRUE(std::signbit(math::tanh(T(-0.0))));
    EXPECT_EQ(math::swish(T(3), T(0)), T(1.5));
}

// As the C standard has them (F.10.4.4), for exponents that are finite.
TYPED_TEST(eltwise_of_each_type, powers_of_zeros_infinities_and_negative_numbers) {
    using T = TypeParam;
    constexpr T INF = std::numeric_limits<T>::infinity(), MAX = std::numeric_limits<T>::max();
    for (const T x : {T(0), T(-0.0), T(1), T(-1), T(2), T(-2), INF, -INF, MAX, -MAX, T(NAN)})
        for (const T exponent : {T(0), T(-0.0), T(1), T(2), T(3), T(-1), T(-2), T(-3), T(0.5), T(-0.5), T(16777216),
                                 T(16777215), T(-16777215), MAX, -MAX}) {
            const exact_type expected = std::pow(exact_type(x), exact_type(exponent));
            const T got = math::pow(x, exponent);
            EXPECT_LE(ulps(got, expected), 1.5) << x << "^" << exponent << ": " << got << ", not " << expected;
            EXPECT_TRUE(std::isnan(expected) || std::signbit(got) == std::signbit(expected)) << x << "^" << exponent;
        }
}

TYPED_TEST(eltwise_of_each_type, rounding_to_the_even_integer) {
    using T = TypeParam;
    constexpr T INF = std::numeric_limits<T>::infinity(), LARGE = math::pow_constants<T>::INTEGER;
    for (const T x : {T(0), T(-0.0), T(0.5), T(-0.5), T(1.5), T(2.5), T(-2.5), T(0.49999997), T(-1e-30), T(1e30), INF,
                      -INF, LARGE, LARGE - 1, LARGE - T(0.5), LARGE / 2 + T(0.5), -LARGE - 1}) {
        const T got = math::round_to_even(x), expected = std::nearbyint(x);
        EXPECT_TRUE(got == expected && std::signbit(got) == std::signbit(expected)) << x << " to " << got;
    }
}

TEST(eltwise, denormal_results) {
    const float results[] = {math::exp(-100.0f), math::exp(-103.9f), math::logistic(-95.0f), math::gelu_erf(-13.2f)};
    const double exact[] = {std::exp(-100.0), std::exp(double(-103.9f)), double(times_sigma(1, -95)),
                            double(exact_gelu_erf(-13.2f))};
    for (size_t i = 0; i < std::size(results); ++i) {
        EXPECT_GT(results[i], i == 3 ? -0x1p-126f : 0.0f);
        EXPECT_LE(std::fabs(double(results[i]) - exact[i]), 0x1p-149) << i;
    }
}

TYPED_TEST(eltwise_of_each_type, nan_gives_nan) {
    using T = TypeParam;
    for (const auto alg : ELTWISE_ALGORITHMS)
        for (const T alpha : {T(0), T(0.5)}) {
            int calls = 0;
            math::visit_eltwise<T>(alg, math::is_leaky(alpha), alpha, T(0.5), [&](auto function) {
                ++calls;
                EXPECT_TRUE(std::isnan(function(std::numeric_limits<T>::quiet_NaN()))) << alg;
            });
            EXPECT_EQ(calls, 1) << alg;
        }
}

TEST(eltwise, maximum_and_minimum_take_the_second_of_nan_and_of_zeros) {
    EXPECT_EQ(math::maximum(NAN, 2.0f), 2);
    EXPECT_TRUE(std::isnan(math::maximum(2.0f, NAN)));
    EXPECT_EQ(math::minimum(NAN, 2.0f), 2);
    EXPECT_TRUE(std::isnan(math::minimum(2.0f, NAN)));
    EXPECT_TRUE(std::signbit(math::maximum(0.0f, -0.0f)));
    EXPECT_FALSE(std::signbit(math::minimum(-0.0f, 0.0f)));
}

} // namespace
} // namespace jitnorm::impl
