// SPDX-License-Identifier: Apache-2.0
// The table of element types, and the conversions of their values.
#include "data_type.hpp"

#include <algorithm>
#include <array>
#include <bit>
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

constexpr auto TABLE = [] { // by the types' numbers
    std::array<properties, 16> table{};
#define DATA_TYPE(name, number, ...) table[number] = {jitnorm_##name, #name, __VA_ARGS__};
#include "../../tables/data_types.inc"
    return table;
}();

const properties &of(data_type type) {
    if (size_t(type) >= TABLE.size() || TABLE[size_t(type)].size == 0)
        throw std::logic_error("data type without properties");
    return TABLE[size_t(type)];
}

// Of a finite value; of one that is no normal number, as of the smallest normal number.
int exponent_of(const properties &p, double value) {
    return std::max(int(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff) - 1023, p.min_exponent);
}

double ulp(const properties &p, double value) {
    const int exponent = exponent_of(p, value) - p.precision + 1;
    return exponent > -1023 ? std::bit_cast<double>(uint64_t(exponent + 1023) << 52) : std::ldexp(1.0, exponent);
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

// Floating-point types of 1 and 2 bytes have a sign, an exponent and the mantissa without its first bit. Codes beyond
// that of the largest number are infinity and NaN; e4m3 has no infinity.
struct code_parts {
    explicit code_parts(const properties &p) : mantissa_bits(p.precision - 1), sign(1u << (8 * p.size - 1)) {}
    int mantissa_bits;
    uint32_t sign;
    uint32_t nan() const { return sign - 1; }
    uint32_t infinity() const { return nan() >> mantissa_bits << mantissa_bits; }
};

double value_of_code(const properties &p, uint32_t bits) {
    const code_parts parts(p);
    const uint32_t code = bits & ~parts.sign;
    const int exponent = int(code >> parts.mantissa_bits), first_bit = exponent ? 1 << parts.mantissa_bits : 0;
    const int mantissa = int(code) & ((1 << parts.mantissa_bits) - 1);
    const double magnitude =
        std::ldexp(mantissa + first_bit, std::max(exponent, 1) - 1 + p.min_exponent - parts.mantissa_bits);
    const double sign = bits & parts.sign ? -1 : 1;
    if (magnitude <= p.largest) return sign * magnitude;
    const bool is_infinite = code == parts.infinity() && p.type != jitnorm_f8_e4m3;
    return is_infinite ? sign * HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
}

// `value` must be representable in the type.
uint32_t code_of_value(const properties &p, double value) {
    const code_parts parts(p);
    const uint32_t sign = std::signbit(value) ? parts.sign : 0;
    if (std::isnan(value)) return parts.nan();
    if (std::isinf(value)) return sign | parts.infinity();
    const int exponent = exponent_of(p, value);
    const auto mantissa = uint32_t(std::ldexp(std::abs(value), parts.mantissa_bits - exponent));
    return sign | ((uint32_t(exponent - p.min_exponent) << parts.mantissa_bits) + mantissa);
}

// Calls visit(T()) for the C type T of the elements, which have no codes.
template <typename Visit>
auto with_c_type(data_type type, Visit visit) {
    if (type == jitnorm_f32) return visit(float());
    if (type == jitnorm_s32) return visit(int32_t());
    if (type == jitnorm_s8) return visit(int8_t());
    if (type == jitnorm_u8) return visit(uint8_t());
    return visit(double());
}

bool has_code(const properties &p) { return p.precision > 0 && p.size <= 2; }

double round_to_integer(const properties &p, double value) {
    return std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), p.lowest, p.largest);
}

} // namespace

std::string_view name_of(data_type type) { return of(type).name; }

data_type parse_data_type(std::string_view name) {
    std::vector<std::string> known;
    for (const properties &p : TABLE) {
        if (p.size == 0) continue;
        if (equal_but_for_case(p.name, name)) return p.type;
        if (p.type != jitnorm_s32) known.emplace_back(p.name); // no normalization takes s32
    }
    throw input_error("unknown data type '", name, "'", closest_or_known(name, known));
}

size_t size_of(data_type type) { return of(type).size; }
bool is_f8(data_type type) { return type == jitnorm_f8_e5m2 || type == jitnorm_f8_e4m3; }
bool is_integer(data_type type) { return of(type).precision == 0; }
double largest(data_type type) { return of(type).largest; }
double lowest(data_type type) { return of(type).lowest; }

double load(data_type type, const void *base, dim_t index) {
    const properties &p = of(type);
    if (has_code(p)) return value_of_code(p, p.size == 1 ? read<uint8_t>(base, index) : read<uint16_t>(base, index));
    return with_c_type(type, [&](auto zero) { return double(read<decltype(zero)>(base, index)); });
}

void store(data_type type, void *base, dim_t index, double value) {
    const properties &p = of(type);
    const double rounded = round_to(type, value);
    if (has_code(p)) {
        const uint32_t code = code_of_value(p, rounded);
        return p.size == 1 ? write(base, index, uint8_t(code)) : write(base, index, uint16_t(code));
    }
    with_c_type(type, [&](auto zero) { write(base, index, decltype(zero)(rounded)); });
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
