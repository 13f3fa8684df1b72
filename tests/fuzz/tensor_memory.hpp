// SPDX-License-Identifier: Apache-2.0
// tensor_memory: memory exactly as large as a tensor's description says, between inaccessible pages, at any alignment.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "byte_stream.hpp"
#include "jitnorm/jitnorm_types.h"
#include "support/guarded_buffer.hpp"

namespace jitnorm::fuzz {

// The content of an input: ordinary numbers, equal ones, very large and very small ones, any bits at all.
enum class contents { ordinary, constant, huge, tiny, any_bits, few_any_bits };
contents choose_contents(byte_stream &choices);

class tensor_memory {
public:
    // Starts with nothing but canaries. The pointer is off its alignment by some bytes now and then.
    tensor_memory(byte_stream &choices, size_t bytes);

    void fill(jitnorm_data_type_t type, contents kind, uint64_t seed, bool is_positive = false);
    void make_read_only() const { buffer_.make_read_only(); }

    // Keeps the present content for restore(); not for read-only memory.
    void remember() { initial_.assign(data_, data_ + bytes_); }
    void restore() { std::copy(initial_.begin(), initial_.end(), data_); }

    unsigned char *data() const { return data_; }
    size_t bytes() const { return bytes_; }
    std::vector<unsigned char> content() const { return {data_, data_ + bytes_}; }
    bool is_as_remembered() const { return std::equal(initial_.begin(), initial_.end(), data_); }
    bool surroundings_untouched() const;

private:
    size_t bytes_, off_; // the buffer has off_ bytes more than the tensor
    tests::guarded_buffer buffer_;
    unsigned char *data_;
    std::vector<unsigned char> initial_;
};

// The index of the first element, gaps and padding included, in which the two differ; -1 if none. A NaN equals any
// other.
ptrdiff_t first_difference(jitnorm_data_type_t type, const std::vector<unsigned char> &a,
                           const std::vector<unsigned char> &b);

} // namespace jitnorm::fuzz
