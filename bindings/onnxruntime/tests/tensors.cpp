// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

namespace support {

namespace {

size_t size_of(type its) { return its == F32 ? 4 : its == F64 || its == I64 ? 8 : 2; }

uint16_t to_bf16(double value) {
    const auto number = float(value);
    uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// Counts steps of the last bit of 11; a carry goes on to the exponent.
uint16_t to_f16(double value) {
    const double size = std::fabs(value);
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (!(size < 65520)) return sign | 0x7c00;
    const int exponent = size == 0 ? -14 : std::max(std::ilogb(size), -14);
    return uint16_t(sign | (((exponent + 14) << 10) + int(std::nearbyint(std::ldexp(size, 10 - exponent)))));
}

double from_f16(uint16_t half) {
    const int exponent = (half >> 10) & 31, steps = half & 1023;
    const double size = exponent == 31  ? (steps == 0 ? INFINITY : NAN)
                        : exponent == 0 ? std::ldexp(steps, -24)
                                        : std::ldexp(steps + 1024, exponent - 25);
    return (half & 0x8000) != 0 ? -size : size;
}

float from_bf16(uint16_t half) {
    const uint32_t bits = uint32_t(half) << 16;
    float number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

template <typename T>
void store(std::byte *to, T value) {
    std::memcpy(to, &value, sizeof value);
}

template <typename T>
T load(const std::byte *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

} // namespace

int64_t count(const dims &shape) {
    int64_t elements = 1;
    for (const int64_t size : shape) elements *= size;
    return elements;
}

tensor::tensor(type its, dims shape, const std::vector<double> &values)
    : type_(its), shape_(std::move(shape)), bytes_(size_t(count(shape_)) * size_of(its)),
      lines_((bytes_ + sizeof(line) - 1) / sizeof(line)) {
    for (size_t i = 0; i < values.size(); ++i) {
        std::byte *to = static_cast<std::byte *>(data()) + i * size_of(its);
        if (its == F32) store(to, float(values[i]));
        if (its == F64) store(to, values[i]);
        if (its == I64) store(to, int64_t(values[i]));
        if (its == F16) store(to, to_f16(values[i]));
        if (its == BF16) store(to, to_bf16(values[i]));
    }
}

tensor tensor::copy_of(type its, dims shape, const void *elements) {
    tensor copy(its, std::move(shape));
    if (copy.bytes_ > 0) std::memcpy(copy.data(), elements, copy.bytes_);
    return copy;
}

std::vector<double> tensor::values() const {
    std::vector<double> all(bytes_ / size_of(type_));
    for (size_t i = 0; i < all.size(); ++i) {
        const std::byte *from = static_cast<const std::byte *>(data()) + i * size_of(type_);
        all[i] = type_ == F32   ? double(load<float>(from))
                 : type_ == F64 ? load<double>(from)
                 : type_ == I64 ? double(load<int64_t>(from))
                 : type_ == F16 ? from_f16(load<uint16_t>(from))
                                : double(from_bf16(load<uint16_t>(from)));
    }
    return all;
}

tensor random(type its, const dims &shape, unsigned seed, double mean, double spread) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> numbers(mean, spread);
    std::vector<double> values(size_t(count(shape)), 0.);
    for (double &value : values) value = numbers(generator);
    return {its, shape, values};
}

expected norm_in_double::compute(const std::vector<double> &x, const std::vector<double> &scale,
                                 const std::vector<double> &shift) const {
    expected all;
    all.sum = x;
    all.y.resize(x.size());
    const size_t columns = scale.size();
    for (size_t row = 0; row < x.size() / std::max<size_t>(columns, 1); ++row) {
        const double *from = x.data() + row * columns;
        double mean = 0, squares = 0;
        for (size_t c = 0; c < columns && !rms; ++c) mean += from[c] / double(columns);
        for (size_t c = 0; c < columns; ++c) squares += (from[c] - mean) * (from[c] - mean) / double(columns);
        const double rstd = 1 / std::sqrt(squares + epsilon);
        all.mean.push_back(mean);
        all.rstd.push_back(rstd);
        for (size_t c = 0; c < columns; ++c)
            all.y[row * columns + c] = (from[c] - mean) * rstd * scale[c] + (shift.empty() ? 0 : shift[c]);
    }
    return all;
}

std::vector<double> broadcast(const tensor &from, const dims &shape) {
    const std::vector<double> values = from.values();
    std::vector<double> all(size_t(count(shape)), 0.);
    for (size_t i = 0; i < all.size(); ++i) {
        size_t rest = i, offset = 0, stride = 1;
        for (size_t d = shape.size(); d-- > 0;) {
            const size_t index = rest % size_t(shape[d]), missing = shape.size() - from.shape().size();
            rest /= size_t(shape[d]);
            if (d < missing) continue;
            const auto size = size_t(from.shape()[d - missing]);
            offset += (size == 1 ? 0 : index) * stride;
            stride *= size;
        }
        all[i] = values[offset];
    }
    return all;
}

double distance(const std::vector<double> &a, const std::vector<double> &b) {
    if (a.size() != b.size()) return INFINITY;
    double largest = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double here = std::fabs(a[i] - b[i]);
        if (!(here <= largest)) largest = std::isnan(here) ? INFINITY : here;
    }
    return largest;
}

} // namespace support
