// SPDX-License-Identifier: Apache-2.0
#include "tensor_memory.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace jitnorm::fuzz {

namespace {

// The fields of a floating-point type, from the lowest bit.
struct float_format {
    int mantissa, exponent;
    bool has_infinities = true; // otherwise one code of the last exponent is NaN, the others are numbers
};

std::optional<float_format> format_of(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_f32:
        return float_format{23, 8};
    case jitnorm_f64:
        return float_format{52, 11};
    case jitnorm_bf16:
        return float_format{7, 8};
    case jitnorm_f16:
        return float_format{10, 5};
    case jitnorm_f8_e5m2:
        return float_format{2, 5};
    case jitnorm_f8_e4m3:
        return float_format{3, 4, false};
    default:
        return std::nullopt;
    }
}

size_t size_of(jitnorm_data_type_t type) {
    const auto format = format_of(type);
    if (format) return size_t(1 + format->mantissa + format->exponent) / 8;
    return type == jitnorm_s32 ? 4 : 1;
}

uint64_t low_bits(uint64_t value, int count) { return value & ((uint64_t(1) << count) - 1); }

uint64_t next(uint64_t &state) { // splitmix64 (Steele, Lea, Flood 2014)
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// A random number of about the magnitude that `kind` says, as bits.
uint64_t element(const float_format &f, contents kind, uint64_t &state) {
    const uint64_t bits = next(state);
    const uint64_t top = low_bits(~uint64_t(0), f.exponent), one = top / 2;
    uint64_t exponent = one - 2 + bits % 4;
    if (kind == contents::huge) exponent = top - 1 - bits % 4;
    if (kind == contents::tiny) exponent = bits % 4;
    if (kind == contents::any_bits || (kind == contents::few_any_bits && bits % 61 == 0)) exponent = (bits >> 8) & top;
    const uint64_t mantissa = low_bits(next(state), f.mantissa), sign = bits >> 63;
    return (sign << f.exponent | exponent) << f.mantissa | mantissa;
}

bool is_nan(const float_format &f, uint64_t bits) {
    const uint64_t exponent = low_bits(bits >> f.mantissa, f.exponent);
    const uint64_t mantissa = low_bits(bits, f.mantissa);
    const bool marks_nan = f.has_infinities ? mantissa != 0 : mantissa == low_bits(~uint64_t(0), f.mantissa);
    return exponent == low_bits(~uint64_t(0), f.exponent) && marks_nan;
}

uint64_t load(const unsigned char *from, size_t size) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, size);
    return bits;
}

size_t choose_off(byte_stream &choices) { return choices.one_in(4) ? 1 + choices.below(63) : 0; }

} // namespace

contents choose_contents(byte_stream &choices) {
    return choices.one_in(3) ? contents(choices.below(6)) : contents::ordinary;
}

tensor_memory::tensor_memory(byte_stream &choices, size_t bytes)
    : bytes_(bytes), off_(choose_off(choices)),
      buffer_(bytes + off_, choices.coin() ? tests::guard_side::before : tests::guard_side::after),
      data_(buffer_.as<unsigned char>() + (choices.coin() ? off_ : 0)) {}

void tensor_memory::fill(jitnorm_data_type_t type, contents kind, uint64_t seed, bool is_positive) {
    const auto format = format_of(type);
    const size_t size = size_of(type);
    uint64_t state = seed, bits = 0;
    for (size_t at = 0; at + size <= bytes_; at += size) {
        const bool again = kind == contents::constant && at > 0;
        if (!again) bits = format ? element(*format, kind, state) : next(state);
        if (format && is_positive) bits = low_bits(bits, format->mantissa + format->exponent);
        std::memcpy(data_ + at, &bits, size);
    }
}

bool tensor_memory::surroundings_untouched() const {
    const auto *begin = buffer_.as<unsigned char>();
    const auto is_canary = [](unsigned char byte) { return byte == tests::guarded_buffer::CANARY; };
    return buffer_.slack_untouched() && std::all_of(begin, static_cast<const unsigned char *>(data_), is_canary) &&
           std::all_of(static_cast<const unsigned char *>(data_) + bytes_, begin + buffer_.bytes(), is_canary);
}

ptrdiff_t first_difference(jitnorm_data_type_t type, const std::vector<unsigned char> &a,
                           const std::vector<unsigned char> &b) {
    if (a == b) return -1;
    const auto format = format_of(type);
    const size_t size = size_of(type);
    for (size_t at = 0; at + size <= a.size(); at += size) {
        const uint64_t x = load(a.data() + at, size), y = load(b.data() + at, size);
        if (x != y && !(format && is_nan(*format, x) && is_nan(*format, y))) return ptrdiff_t(at / size);
    }
    return -1;
}

} // namespace jitnorm::fuzz
