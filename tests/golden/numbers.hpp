// SPDX-License-Identifier: Apache-2.0
// numbers: inputs that are the same wherever this is compiled, and for ever. Raw words of a generator that the standard
// defines, as integers times powers of two: each number is exact in its type, so that no conversion has a say.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/tensor.hpp"

namespace jitnorm::tests {

// What rows hold.
enum class content {
    ordinary,
    constant,  // every row one number
    huge_mean, // with the smallest deviation that the type can hold
    outlier,   // at the first place, in the pivot
    ramp,
    huge, // squares leave the range of float; of doubles they do not overflow
    tiny, // squares underflow
    denormal,
    infinite, // one infinity in every third row
    mixed,    // of each in turn but for infinities, with ordinary rows between
};

// What integers of a type can be, and what their unit is.
struct number_format {
    int bits;                              // integers from -2^bits to 2^bits - 1, but for u8 from 0
    double ordinary, huge, tiny, denormal; // units
};

inline number_format format_of(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_f64:
        return {44, 0x1p-42, 0x1p+300, 0x1p-642, 0x1p-1074};
    case jitnorm_f32:
        return {23, 0x1p-21, 0x1p+77, 0x1p-121, 0x1p-149};
    case jitnorm_bf16:
        return {7, 0x1p-5, 0x1p+93, 0x1p-105, 0x1p-133};
    case jitnorm_f16:
        return {10, 0x1p-8, 0x1p+5, 0x1p-22, 0x1p-24};
    default: // integers
        return {7, 1, 1, 1, 1};
    }
}

class number_source {
public:
    number_source(unsigned seed, jitnorm_data_type_t type)
        : words_(seed), format_(format_of(type)), is_unsigned_(type == jitnorm_u8),
          is_integer_(type == jitnorm_u8 || type == jitnorm_s8 || type == jitnorm_s32) {}

    // From -4 to 4, or all that a byte holds.
    double ordinary() { return double(next()) * format_.ordinary; }
    // Above 0, up to 4.
    double positive() { return double((next() & (limit() - 1)) + 1) * format_.ordinary; }

    double in_row(content what, dim_t row, dim_t c, dim_t columns) {
        if (is_integer_) what = what == content::constant ? what : content::ordinary;
        if (c == 0) first_ = next();
        const int64_t integer = c == 0 ? first_ : next();
        if (what == content::infinite && row % 3 == 1 && c == columns / 2)
            return std::numeric_limits<double>::infinity();
        if (what == content::mixed) what = row % 2 == 0 ? KINDS[size_t(row / 2) % std::size(KINDS)] : content::ordinary;
        return of(what, c, integer);
    }

private:
    static constexpr content KINDS[] = {content::constant, content::huge_mean, content::outlier, content::ramp,
                                        content::huge,     content::tiny,      content::denormal};

    double of(content what, dim_t c, int64_t integer) const {
        switch (what) {
        case content::constant:
            return double(first_) * format_.ordinary;
        case content::huge_mean: // the unit is the last bit of the mean
            return double(limit() / 2 + integer % 8) * format_.ordinary * 0x1p+6;
        case content::outlier:
            return double(integer) * format_.ordinary * (c == 0 ? 0x1p+10 : 1);
        case content::ramp:
            return double(c % limit()) * format_.ordinary;
        case content::huge:
            return double(integer) * format_.huge;
        case content::tiny:
            return double(integer) * format_.tiny;
        case content::denormal:
            return double(integer) * format_.denormal;
        default:
            return double(integer) * format_.ordinary;
        }
    }

    int64_t limit() const { return int64_t(1) << format_.bits; }

    int64_t next() {
        const uint64_t high = words_(), low = words_();
        const uint64_t word = high << 32 | low;
        if (is_unsigned_) return int64_t(word >> (63 - format_.bits)); // bits + 1 of them
        return int64_t(word >> (63 - format_.bits)) - limit();
    }

    std::mt19937 words_;
    number_format format_;
    bool is_unsigned_, is_integer_;
    int64_t first_ = 0;
};

// Rows of numbers, as many as the tensor holds, in logical order.
inline std::vector<double> rows_of_numbers(const memory_desc &md, dim_t columns, content what, unsigned seed) {
    number_source source(seed, md.data_type);
    std::vector<double> values(size_t(nelems(md)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = source.in_row(what, dim_t(i) / columns, dim_t(i) % columns, columns);
    return values;
}

inline std::vector<double> positive_numbers(const memory_desc &md, unsigned seed) {
    number_source source(seed, md.data_type);
    std::vector<double> values(size_t(nelems(md)));
    for (double &value : values) value = source.positive();
    return values;
}

// ---- digests: FNV-1a, 64 bits

constexpr uint64_t EMPTY_DIGEST = 0xCBF29CE484222325;

// With the numbers' bits as doubles, which every type widens to exactly; every NaN is the same one.
inline uint64_t digest_with(uint64_t digest, const std::vector<double> &numbers) {
    for (const double number : numbers) {
        const uint64_t bits = number == number ? std::bit_cast<uint64_t>(number) : 0x7FF8000000000000;
        for (int byte = 0; byte < 8; ++byte) digest = (digest ^ (bits >> 8 * byte & 0xFF)) * 0x100000001B3;
    }
    return digest;
}

} // namespace jitnorm::tests
