// SPDX-License-Identifier: Apache-2.0
// reciprocal_root against the definition, a square root and a division: for values of every size, and for those whose
// root is next to the middle between two floats, where rounding could go either way.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "math/moments.hpp"

namespace jitnorm::impl::layer_norm {
namespace {

constexpr unsigned SEED = 11;

// Whether the function decides the value; what it decides must be right.
bool check(double v) {
    const rounded_root root = reciprocal_root(v);
    const float expected = reciprocal_deviation<float>(v, 0);
    EXPECT_LE(root.below, expected) << v;
    EXPECT_GE(root.above, expected) << v;
    return root.below == root.above;
}

TEST(reciprocal_root, values_of_every_size) {
    std::mt19937_64 generator(SEED);
    std::uniform_real_distribution<double> exponent(-200, 200);
    constexpr int VALUES = 1'000'000;
    int known = 0;
    for (int i = 0; i < VALUES; ++i) known += check(std::exp2(exponent(generator))) ? 1 : 0;
    EXPECT_GT(known, VALUES - 100) << "seed " << SEED; // about one in 2^20 is not
    EXPECT_TRUE(check(0x1p-200));
    EXPECT_TRUE(check(0x1p200));
}

// Zeros, denormals, values too small or too large, infinity, NaN: the function decides none.
TEST(reciprocal_root, values_out_of_range) {
    std::vector<double> values = {
        0.0,    5e-324, 1e-310, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), -1.0,
        -1e-30, -1e300, -1e-310};
    for (int exponent = 202; exponent < 1024; ++exponent)
        for (const int e : {-exponent, exponent}) values.push_back(std::ldexp(1.25, e));
    for (const double v : values) {
        const float root = reciprocal_root(v).below;
        EXPECT_FALSE(root >= SMALLEST_KNOWN_ROOT && root <= LARGEST_KNOWN_ROOT) << v;
    }
}

TEST(reciprocal_root, values_between_floats) {
    std::mt19937 generator(SEED);
    int known = 0;
    for (int i = 0; i < 100'000; ++i) {
        const float f = std::ldexp(1 + float(generator() % (1 << 23)) * 0x1p-23F, int(generator() % 100) - 50);
        const double middle = (double(f) + double(std::nextafter(f, 2 * f))) / 2;
        double v = 1 / (middle * middle);
        for (int step = 0; step < 3; ++step) v = std::nextafter(v, 0);
        for (int step = 0; step < 7; ++step, v = std::nextafter(v, 2 * v)) known += check(v) ? 1 : 0;
    }
    EXPECT_EQ(known, 0) << "seed " << SEED; // nothing else is a sign that the margin is not what it should be
}

} // namespace
} // namespace jitnorm::impl::layer_norm
