// SPDX-License-Identifier: Apache-2.0
// tensor: guarded memory with a descriptor, filled and read in logical order as doubles, which knows what of its memory
// are elements, padding and gaps.
#pragma once

#include <algorithm>
#include <cstring>
#include <mutex>
#include <random>
#include <vector>

#include "arithmetic/convert.hpp"
#include "core/memory_desc.hpp"
#include "guarded_buffer.hpp"

namespace jitnorm::tests {

using impl::bytes;
using impl::dim_t;
using impl::memory_desc;
using impl::nelems;
using impl::padded_nelems;
using impl::size_of;

class tensor {
public:
    tensor() : buffer_(0) {}
    explicit tensor(const memory_desc &md, guard_side side = guard_side::after)
        : md_(md), is_dense_(md.ndims != 0 && md == impl::make_dense({md.dims, size_t(md.ndims)}, md.data_type)),
          buffer_(bytes(md), side), data_(buffer_.data()) {}
    // Over memory of the caller's, of which nothing is said about the surroundings.
    tensor(const memory_desc &md, void *data) : md_(md), buffer_(0), data_(data) {}

    const memory_desc &md() const { return md_; }
    void *data() const { return data_; }
    bool exists() const { return md_.ndims != 0; }

    void fill(const std::vector<double> &values) const {
        visit([&]<typename Stored>(impl::stored_as<Stored>) {
            for (size_t i = 0; i < values.size(); ++i) {
                const Stored value = impl::narrow<Stored>(values[i]);
                std::memcpy(at(offset_of_index(dim_t(i)), sizeof(Stored)), &value, sizeof(Stored));
            }
        });
    }
    std::vector<double> values() const {
        std::vector<double> result(exists() ? size_t(nelems(md_)) : 0);
        visit([&]<typename Stored>(impl::stored_as<Stored>) {
            for (size_t i = 0; i < result.size(); ++i) {
                Stored value;
                std::memcpy(&value, at(offset_of_index(dim_t(i)), sizeof(Stored)), sizeof(Stored));
                result[i] = impl::widen<double>(value);
            }
        });
        return result;
    }
    void make_read_only() const { buffer_.make_read_only(); }

    // What a kernel must leave as it is (gaps, slack) and what it must zero (padding).
    bool surroundings_are_right() const {
        if (is_dense_ || data_ != buffer_.data()) return buffer_.slack_untouched();
        enum : char { GAP, ELEMENT, PADDING };
        const size_t size = size_of(md_.data_type);
        std::vector<char> kinds(buffer_.bytes() / size, GAP);
        for_each_padded_position([&](const dim_t *position, bool is_element) {
            kinds[size_t(impl::offset(md_, position))] = is_element ? ELEMENT : PADDING;
        });
        for (size_t i = 0; i < buffer_.bytes(); ++i) {
            const char kind = kinds[i / size];
            const unsigned char byte = buffer_.as<unsigned char>()[i];
            if (kind == GAP && byte != guarded_buffer::CANARY) return false;
            if (kind == PADDING && byte != 0) return false;
        }
        return buffer_.slack_untouched();
    }

private:
    template <typename Body>
    void visit(Body &&body) const {
        if (exists()) impl::visit_data_type(md_.data_type, body);
    }
    // Large tensors are dense, and dividing for every element is what their tests would spend their time on.
    dim_t offset_of_index(dim_t index) const { return is_dense_ ? index : impl::offset_of_index(md_, index); }
    void *at(dim_t offset, size_t size) const { return static_cast<char *>(data_) + offset * dim_t(size); }

    template <typename Body>
    void for_each_padded_position(Body &&body) const {
        if (nelems(md_) == 0) return;
        for (dim_t i = 0; i < padded_nelems(md_); ++i) {
            jitnorm_dims_t position;
            dim_t rest = i;
            bool is_element = true;
            for (int d = md_.ndims - 1; d >= 0; --d) {
                position[d] = rest % md_.padded_dims[d];
                rest /= md_.padded_dims[d];
                is_element = is_element && position[d] < md_.dims[d];
            }
            body(position, is_element);
        }
    }

    memory_desc md_;
    bool is_dense_ = false; // row-major without gaps or an offset
    guarded_buffer buffer_;
    void *data_ = nullptr;
};

// Normally distributed. Numbers of other seeds are other parts of one long list, of which each part is made once: tests
// ask for the same many times.
inline std::vector<double> random_values(dim_t count, double mean, double deviation, unsigned seed) {
    constexpr size_t PARTS = 257, LENGTH = 4096, BETWEEN_SEEDS = 31;
    static std::vector<double> parts[PARTS];
    static std::mutex growing;
    const std::lock_guard lock(growing);
    std::vector<double> values(static_cast<size_t>(count));
    for (size_t begin = 0; begin < values.size(); begin += LENGTH) {
        const size_t index = (seed * BETWEEN_SEEDS + begin / LENGTH) % PARTS;
        std::vector<double> &part = parts[index];
        if (part.empty()) {
            std::mt19937 generator{unsigned(index)};
            std::normal_distribution<double> distribution;
            part.resize(LENGTH);
            for (double &value : part) value = distribution(generator);
        }
        const size_t end = std::min(begin + LENGTH, values.size());
        for (size_t i = begin; i < end; ++i) values[i] = mean + deviation * part[i - begin];
    }
    return values;
}

} // namespace jitnorm::tests
