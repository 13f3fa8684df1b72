// SPDX-License-Identifier: Apache-2.0
// Numbers to convert, and how results compare: by their bits, but any NaN equals any other.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "math/convert.hpp"

namespace jitnorm::tests {

template <typename Stored>
bool same(Stored a, Stored b) {
    if (std::isnan(impl::widen<double>(a)) && std::isnan(impl::widen<double>(b))) return true;
    return std::memcmp(&a, &b, sizeof a) == 0;
}

// Every value of a type of one or two bytes; of wider ones the special ones and many more.
template <typename Stored>
std::vector<Stored> stored_values() {
    std::vector<Stored> values;
    if constexpr (sizeof(Stored) <= 2) {
        using bits = std::conditional_t<sizeof(Stored) == 1, uint8_t, uint16_t>;
        for (unsigned i = 0; i <= std::numeric_limits<bits>::max(); ++i)
            values.push_back(std::bit_cast<Stored>(bits(i)));
    } else {
        using bits = std::conditional_t<sizeof(Stored) == 4, uint32_t, uint64_t>;
        using limits = std::numeric_limits<Stored>;
        values = {Stored(0),         limits::min(),      limits::max(),       limits::lowest(),    Stored(-1),
                  limits::epsilon(), limits::infinity(), limits::quiet_NaN(), limits::denorm_min()};
        std::mt19937_64 generator(5);
        while (values.size() < 65536) values.push_back(std::bit_cast<Stored>(bits(generator())));
    }
    return values;
}

// Numbers to be narrowed: floats with every upper half, and with lower halves around ties, so that there are NaN,
// infinities, denormals and numbers too large for every type. Consecutive numbers have different magnitudes. Doubles
// also have the numbers next to them, which a float cannot hold.
template <typename T>
std::vector<T> numbers_to_narrow() {
    constexpr uint32_t LOWER[] = {0x0000, 0x0001, 0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000, 0x3001,
                                  0x7fff, 0x8000, 0x8001, 0xefff, 0xf000, 0xf001, 0xfffe, 0xffff};
    std::vector<T> numbers;
    numbers.reserve(std::size(LOWER) << 16);
    for (uint32_t lower : LOWER)
        for (uint32_t i = 0; i < 65536; ++i) {
            T number = std::bit_cast<float>((i * 40503u & 0xffffu) << 16 | lower);
            if constexpr (std::is_same_v<T, double>) {
                if (i % 3 == 1) number = std::nextafter(number, std::numeric_limits<double>::infinity());
                if (i % 3 == 2) number = std::nextafter(number, -std::numeric_limits<double>::infinity());
                if (i % 97 == 0) number *= 0x1p900; // beyond float
            }
            numbers.push_back(number);
        }
    return numbers;
}

// The same numbers as arithmetic gives them: no NaN is a signaling one.
template <typename T>
std::vector<T> results_to_narrow() {
    using bits = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;
    constexpr bits QUIET = bits(1) << (std::numeric_limits<T>::digits - 2);
    std::vector<T> numbers = numbers_to_narrow<T>();
    for (T &number : numbers)
        if (std::isnan(number)) number = std::bit_cast<T>(std::bit_cast<bits>(number) | QUIET);
    return numbers;
}

} // namespace jitnorm::tests
