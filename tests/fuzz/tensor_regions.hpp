// SPDX-License-Identifier: Apache-2.0
// tensor_regions: the memory of all tensors of an execution, exactly as large as their descriptions say, between
// inaccessible pages, at any alignment. Some tensors share it. An execution must not change inputs and surroundings,
// nor outputs if it fails.
#pragma once

#include <algorithm>
#include <optional>
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

struct run_result {
    int status = 0;                                  // 0: success
    std::vector<std::vector<unsigned char>> written; // the content of each region with an output
};

class tensor_regions {
public:
    // A tensor with memory of its own; the answer is its number, from 0.
    size_t add(size_t bytes, jitnorm_data_type_t type, bool is_read, bool is_written);

    // Puts tensor `other` into the memory of tensor `one`, some bytes after its begin. Unless that is in place as the
    // interfaces allow it, results are not compared: a forbidden alias that nobody checks has undefined results, but
    // still nothing else may be touched.
    void share(size_t one, size_t other, size_t offset, bool in_place);
    void share_hostile(byte_stream &choices); // any two
    bool is_comparable() const { return is_comparable_; }
    // Its numbers get no signs, such as variances.
    void make_positive(size_t number) { tensors_[number].is_positive = true; }

    // After the above: memory, filled. Inputs are read-only from then on.
    void allocate(byte_stream &choices);
    unsigned char *data(size_t number) const;

    void restore(); // the outputs, before each execution
    run_result result(int status) const;
    void require_equal(const run_result &a, const run_result &b, const std::string &whose) const;

private:
    struct tensor {
        size_t bytes;
        jitnorm_data_type_t type;
        bool is_read, is_written;
        size_t region, offset;
        bool is_positive = false;
    };
    struct region {
        size_t bytes = 0;
        jitnorm_data_type_t type = jitnorm_f32; // of the written tensor, if there is one
        bool is_written = false;
        std::optional<tensor_memory> memory;
    };

    std::vector<tensor> tensors_;
    std::vector<region> regions_; // as many as tensors; those that moved into another's leave an empty one
    bool is_comparable_ = true;
};

} // namespace jitnorm::fuzz
