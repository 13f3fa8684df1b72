// SPDX-License-Identifier: Apache-2.0
// The table of element types, and the conversions of their values.
#include "data_type.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

struct properties {
    data_type type;
    std::string_view name;
    size_t size;
    int precision;    // significant bits; 0 for integers
    int min_exponent; // the exponent of the smallest normal number
    double lowest, largest;
};

constexpr properties TABLE[] = {
#define DATA_TYPE(name, number, ...) {jitnorm_##name, #name, __VA_ARGS__},
#include "../../tables/data_types.inc"
};

const properties &of(data_type type) {
    for (const properties &p : TABLE)
        if (p.type == type) return p;
    throw std::logic_error("data type without properties");
}

double ulp(const properties &p, double value) {
    const int exponent = value == 0 ? p.min_exponent : std::max(std::ilogb(value), p.min_exponent);
    return std::ldexp(1.0, exponent - p.precision + 1);
}

template <typename T>
T read(const void *base, dim_t index) {
    T value;
    std::memcpy(&value, static_cast<const char *>(base) + size_t(index) * sizeof(T), sizeof(T));
    return value;
}

template <typename T>
void write(void *base, dim_t index, T value) {
    std::memcpy(static_cast<char *>(base) + size_t(index) * sizeof(T), &value, sizeof(T));
}

double f16_value(uint16_t bits) {
    const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
    const double sign = (bits & 0x8000) ? -1 : 1;
    if (exponent == 31) return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
    return sign * (exponent ? std::ldexp(mantissa + 1024, exponent - 25) : std::ldexp(mantissa, -24));
}

// `value` must be representable in f16.
uint16_t f16_bits(double value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value)) return 0x7e00;
    if (std::isinf(value)) return uint16_t(sign | 0x7c00);
    const double magnitude = std::abs(value);
    if (magnitude < 0x1p-14) return uint16_t(sign | int(std::ldexp(magnitude, 24)));
    const int exponent = std::ilogb(magnitude);
    return uint16_t(sign | (((exponent + 14) << 10) + int(std::ldexp(magnitude, 10 - exponent))));
}

float bf16_value(uint16_t bits) {
    const uint32_t word = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
}

uint16_t bf16_bits(double representable) {
    if (std::isnan(representable)) return 0x7fc0;
    const float value = float(representable);
    uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    return uint16_t(word >> 16);
}

// The value of an 8-bit code. Codes beyond that of the largest number are NaN, except the first one of e5m2, which is
// infinity.
double f8_value(const properties &p, uint8_t bits) {
    const int mantissa_bits = p.precision - 1, code = bits & 127;
    const int exponent = code >> mantissa_bits, mantissa = code & ((1 << mantissa_bits) - 1);
    const double magnitude = std::ldexp(exponent ? mantissa + (1 << mantissa_bits) : mantissa,
                                        std::max(exponent, 1) - 1 + p.min_exponent - mantissa_bits);
    const double sign = bits & 128 ? -1 : 1;
    if (magnitude <= p.largest) return sign * magnitude;
    return p.type == jitnorm_f8_e5m2 && code == 0x7c ? sign * HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
}

// The code of a number that the type represents. The codes of positive numbers have the order of the numbers, so that
// the search goes upwards from 0.
uint8_t f8_bits(const properties &p, double representable) {
    uint8_t code = 0;
    if (std::isnan(representable)) return 0x7f;
    while (f8_value(p, code) < std::abs(representable)) ++code;
    return uint8_t(code | (std::signbit(representable) ? 128 : 0));
}

double round_to_integer(const properties &p, double value) {
    return std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), p.lowest, p.largest);
}

} // namespace

std::string_view name_of(data_type type) { return of(type).name; }

data_type parse_data_type(std::string_view name) {
    for (const properties &p : TABLE)
        if (equal_but_for_case(p.name, name)) return p.type;
    throw input_error("unknown data type '", name, "'");
}

size_t size_of(data_type type) { return of(type).size; }
bool is_f8(data_type type) { return type == jitnorm_f8_e5m2 || type == jitnorm_f8_e4m3; }
bool is_integer(data_type type) { return of(type).precision == 0; }
double largest(data_type type) { return of(type).largest; }
double lowest(data_type type) { return of(type).lowest; }

double load(data_type type, const void *base, dim_t index) {
    switch (type) {
    case jitnorm_f16:
        return f16_value(read<uint16_t>(base, index));
    case jitnorm_bf16:
        return bf16_value(read<uint16_t>(base, index));
    case jitnorm_f32:
        return read<float>(base, index);
    case jitnorm_s32:
        return read<int32_t>(base, index);
    case jitnorm_s8:
        return read<int8_t>(base, index);
    case jitnorm_u8:
        return read<uint8_t>(base, index);
    case jitnorm_f8_e5m2:
    case jitnorm_f8_e4m3:
        return f8_value(of(type), read<uint8_t>(base, index));
    case jitnorm_f64:
        return read<double>(base, index);
    default:
        throw std::logic_error("load of an undefined data type");
    }
}

void store(data_type type, void *base, dim_t index, double value) {
    const double rounded = round_to(type, value);
    switch (type) {
    case jitnorm_f16:
        return write(base, index, f16_bits(rounded));
    case jitnorm_bf16:
        return write(base, index, bf16_bits(rounded));
    case jitnorm_f32:
        return write(base, index, float(rounded));
    case jitnorm_s32:
        return write(base, index, int32_t(rounded));
    case jitnorm_s8:
        return write(base, index, int8_t(rounded));
    case jitnorm_u8:
        return write(base, index, uint8_t(rounded));
    case jitnorm_f8_e5m2:
    case jitnorm_f8_e4m3:
        return write(base, index, f8_bits(of(type), rounded));
    case jitnorm_f64:
        return write(base, index, rounded);
    default:
        throw std::logic_error("store of an undefined data type");
    }
}

double round_to(data_type type, double value) {
    const properties &p = of(type);
    if (p.precision == 0) return round_to_integer(p, value);
    if (is_f8(type) && std::abs(value) >= p.largest) return std::copysign(p.largest, value);
    if (type == jitnorm_f64 || !std::isfinite(value)) return value;
    if (type == jitnorm_f32) return float(value);
    const double step = ulp(p, value), rounded = std::nearbyint(value / step) * step;
    return std::abs(rounded) > p.largest ? std::copysign(HUGE_VAL, value) : rounded;
}

double half_ulp(data_type type, double value) {
    const properties &p = of(type);
    if (p.precision == 0) return 0.5;
    return std::isfinite(value) ? ulp(p, value) / 2 : 0;
}

} // namespace benchdnn_lite
