// SPDX-License-Identifier: Apache-2.0
// tensor: guarded memory with a descriptor, filled and read in logical order as doubles, which knows what of its memory
// are elements, padding and gaps.
#pragma once

#include <vector>

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
    tensor() = default;
    explicit tensor(const memory_desc &md, guard_side side = guard_side::after);
    // Over memory of the caller's, of which nothing is said about the surroundings.
    tensor(const memory_desc &md, void *data) : md_(md), data_(data) {}

    const memory_desc &md() const { return md_; }
    void *data() const { return data_; }
    bool exists() const { return md_.ndims != 0; }

    void fill(const std::vector<double> &values) const;
    std::vector<double> values() const;
    void make_read_only() const { buffer_.make_read_only(); }

    // What a kernel must leave as it is (gaps, slack) and what it must zero (padding).
    bool surroundings_are_right() const;

private:
    dim_t offset_of_index(dim_t index) const;
    bool gaps_and_padding_are_right() const;

    memory_desc md_;
    bool is_dense_ = false; // row-major without gaps or an offset
    guarded_buffer buffer_;
    void *data_ = nullptr;
};

// Normally distributed. Numbers of other seeds are other parts of one long list, of which each part is made once: tests
// ask for the same many times.
std::vector<double> random_values(dim_t count, double mean, double deviation, unsigned seed);

} // namespace jitnorm::tests
