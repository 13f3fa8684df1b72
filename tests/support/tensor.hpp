// SPDX-License-Identifier: Apache-2.0
// tensor: guarded memory with a descriptor. It is filled and read as doubles in logical order, and knows which of its
// memory are elements, padding and gaps.
#pragma once

#include <vector>

#include "guarded_buffer.hpp"
#include "tensor/memory_desc.hpp"

namespace jitnorm::tests {

using impl::bytes;
using impl::dim_t;
using impl::memory_desc;
using impl::nelems;
using impl::size_of;

class tensor {
public:
    tensor() = default;
    explicit tensor(const memory_desc &md, guard_side side = guard_side::after);
    // A tensor in memory of the caller, whose surroundings are not checked.
    tensor(const memory_desc &md, void *data) : md_(md), data_(data) {}

    const memory_desc &md() const { return md_; }
    void *data() const { return data_; }
    bool exists() const { return md_.ndims != 0; }

    void fill(const std::vector<double> &values) const;
    std::vector<double> values() const;
    void make_read_only() const { buffer_.make_read_only(); }

    // Whether a kernel left gaps and slack as they were, and zeroed the padding.
    bool surroundings_are_right() const;
    // Whether nothing was written at all.
    bool is_untouched() const;

private:
    dim_t offset_of_index(dim_t index) const;
    bool gaps_and_padding_are_right() const;

    memory_desc md_;
    bool is_dense_ = false; // row-major without gaps or an offset
    guarded_buffer buffer_;
    void *data_ = nullptr;
};

// Normally distributed numbers. They are taken from one long list, each seed beginning at another part. Every part is
// made once, since tests ask for the same numbers many times.
std::vector<double> random_values(dim_t count, double mean, double deviation, unsigned seed);

} // namespace jitnorm::tests
