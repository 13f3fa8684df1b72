// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <random>

#include "math/convert.hpp"

namespace jitnorm::tests {

namespace {

// Calls body(position, is_element) for the positions of a tensor in logical order, padding included.
template <typename Body>
void for_each_padded_position(const memory_desc &md, Body &&body) {
    if (nelems(md) == 0) return;
    jitnorm_dims_t position = {};
    for (dim_t left = impl::product_of({md.padded_dims, size_t(md.ndims)}); left > 0; --left) {
        bool is_element = true;
        for (int d = 0; d < md.ndims; ++d) is_element = is_element && position[d] < md.dims[d];
        body(position, is_element);
        for (int d = md.ndims - 1; d >= 0 && ++position[d] == md.padded_dims[d]; --d) position[d] = 0;
    }
}

// One part of the list of random numbers, which grows as numbers are needed.
class part_of_list {
public:
    explicit part_of_list(unsigned seed) : generator_(seed) {}
    const double *numbers(size_t count) {
        while (numbers_.size() < count) numbers_.push_back(distribution_(generator_));
        return numbers_.data();
    }

private:
    std::mt19937 generator_;
    std::normal_distribution<double> distribution_;
    std::vector<double> numbers_;
};

} // namespace

tensor::tensor(const memory_desc &md, guard_side side)
    : md_(md), is_dense_(md.ndims != 0 && md == impl::make_dense({md.dims, size_t(md.ndims)}, md.data_type)),
      buffer_(impl::bytes(md), side), data_(buffer_.data()) {}

// Large tensors are dense. Their tests would spend their time on the divisions that impl::offset_of_index() needs for
// every element.
dim_t tensor::offset_of_index(dim_t index) const { return is_dense_ ? index : impl::offset_of_index(md_, index); }

void tensor::fill(const std::vector<double> &values) const {
    if (!exists()) return;
    impl::visit_data_type(md_.data_type, [&]<typename Stored>(impl::stored_as<Stored>) {
        auto *elements = static_cast<char *>(data_);
        const double *value = values.data();
        for (size_t i = 0, count = values.size(); i < count; ++i) {
            const auto stored = impl::narrow<Stored>(value[i]);
            std::memcpy(elements + offset_of_index(dim_t(i)) * dim_t(sizeof stored), &stored, sizeof stored);
        }
    });
}

std::vector<double> tensor::values() const {
    if (!exists()) return {};
    std::vector<double> result(size_t(nelems(md_)));
    impl::visit_data_type(md_.data_type, [&]<typename Stored>(impl::stored_as<Stored>) {
        const auto *elements = static_cast<const char *>(data_);
        double *value = result.data();
        for (size_t i = 0, count = result.size(); i < count; ++i) {
            Stored stored;
            std::memcpy(&stored, elements + offset_of_index(dim_t(i)) * dim_t(sizeof stored), sizeof stored);
            value[i] = impl::widen<double>(stored);
        }
    });
    return result;
}

bool tensor::surroundings_are_right() const {
    return buffer_.slack_untouched() && (is_dense_ || data_ != buffer_.data() || gaps_and_padding_are_right());
}

bool tensor::is_untouched() const {
    const auto *bytes = buffer_.as<unsigned char>();
    return std::all_of(bytes, bytes + buffer_.bytes(), [](unsigned char b) { return b == guarded_buffer::CANARY; });
}

bool tensor::gaps_and_padding_are_right() const {
    enum : char { GAP, ELEMENT, PADDING };
    const size_t size = size_of(md_.data_type);
    std::vector<char> kinds(buffer_.bytes() / size, GAP);
    for_each_padded_position(md_, [&](const dim_t *position, bool is_element) {
        kinds[size_t(impl::offset(md_, position))] = is_element ? ELEMENT : PADDING;
    });
    unsigned char untouched[sizeof(double)], zeros[sizeof(double)] = {};
    std::memset(untouched, guarded_buffer::CANARY, sizeof untouched);
    const auto *element = buffer_.as<unsigned char>();
    return std::all_of(kinds.begin(), kinds.end(), [&](char kind) {
        const unsigned char *what = element;
        element += size;
        return kind == ELEMENT || std::memcmp(what, kind == GAP ? untouched : zeros, size) == 0;
    });
}

std::vector<double> random_values(dim_t count, double mean, double deviation, unsigned seed) {
    constexpr size_t PARTS = 257, LENGTH = 4096, BETWEEN_SEEDS = 31;
    static std::optional<part_of_list> parts[PARTS];
    static std::mutex growing;
    const std::lock_guard lock(growing);
    std::vector<double> values(static_cast<size_t>(count));
    for (size_t begin = 0; begin < values.size(); begin += LENGTH) {
        const size_t index = (seed * BETWEEN_SEEDS + begin / LENGTH) % PARTS;
        if (!parts[index]) parts[index].emplace(unsigned(index));
        const size_t end = std::min(begin + LENGTH, values.size());
        const double *number = parts[index]->numbers(end - begin);
        for (size_t i = begin; i < end; ++i) values[i] = mean + deviation * number[i - begin];
    }
    return values;
}

} // namespace jitnorm::tests
