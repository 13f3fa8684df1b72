// SPDX-License-Identifier: Apache-2.0
// memory: what is behind a memory handle of the C interface: a descriptor and the place of the data. What is made of
// descriptors: other descriptors of the same elements, layouts that were left open.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "../../base/boundary.hpp"
#include "../../base/bytes.hpp"
#include "../../norm/problem.hpp"
#include "../../tensor/memory_desc.hpp"

namespace jitnorm::impl::api {

// Tells quickly whether two descriptors mean the same elements at the same places: the properties by which tensors of
// up to 3 dimensions differ, in one cache line, because every execution compares one descriptor for each argument. Of
// dense tensors without an offset, whose dimensions have at most DIM_BITS bits, two words say everything.
class tensor_digest {
    static constexpr size_t DIMS = 3, DIM_BITS = 21;
    static constexpr uint64_t RANK = 0x7f, IN_TWO_WORDS = 0x80, BLOCKS = uint64_t(0xff) << 24;

public:
    tensor_digest() = default;
    explicit tensor_digest(const memory_desc &md)
        : kind_(uint64_t(md.ndims) | uint64_t(md.data_type) << 8 | uint64_t(md.format_kind) << 16 |
                uint64_t(md.inner_nblks) << 24) {
        bool short_and_dense = md.ndims <= int(DIMS) && md.inner_nblks == 0 && md.offset0 == 0;
        uint64_t step = 1, packed = 0;
        for (size_t d = std::min(DIMS, size_t(md.ndims)); d-- > 0; step *= uint64_t(md.dims[d])) {
            const auto size = uint64_t(md.dims[d]);
            rest_[d] = size;
            packed = packed << DIM_BITS | size;
            short_and_dense = short_and_dense && size >> DIM_BITS == 0;
            if (size == 1) continue;
            rest_[DIMS + d] = uint64_t(md.strides[d]);
            short_and_dense = short_and_dense && uint64_t(md.strides[d]) == step;
        }
        if (short_and_dense) kind_ |= IN_TWO_WORDS;
        dims_or_offset_ = short_and_dense ? packed : uint64_t(md.offset0);
    }

    bool operator==(const tensor_digest &other) const {
        if (((kind_ ^ other.kind_) | (dims_or_offset_ ^ other.dims_or_offset_)) != 0) return false;
        return (kind_ & IN_TWO_WORDS) != 0 || has_rest_of(other);
    }

    // Whether tensors with this digest are the same. Digests leave out the sizes of further dimensions and of inner
    // blocks.
    bool says_all() const { return (kind_ & RANK) <= DIMS && (kind_ & BLOCKS) == 0; }

private:
    [[gnu::noinline]] bool has_rest_of(const tensor_digest &other) const { return rest_ == other.rest_; }

    uint64_t kind_ = 0, dims_or_offset_ = 0;
    std::array<uint64_t, DIMS + DIMS> rest_ = {}; // dimensions; strides, without those of dimensions of size 1
};

// Descriptors of the same elements, or of some of them (desc_views.cpp). `result` is set on success alone.
status part_of(const memory_desc &parent, const dim_t *dims, const dim_t *offsets, memory_desc &result);
status reshaped(const memory_desc &md, int ndims, const dim_t *dims, memory_desc &result);
status permuted(const memory_desc &md, const int *permutation, memory_desc &result);

// Decides the layouts of all tensors of the problem (undecided_layout.cpp). src must have a decided layout.
status decide_layouts(layer_norm::problem &p);

} // namespace jitnorm::impl::api

struct jitnorm_memory {
    jitnorm::impl::api::tensor_digest digest; // of md
    void *handle;
    jitnorm_engine_t engine;
    jitnorm::impl::aligned_bytes owned; // the memory's own bytes, or the value of a host scalar; otherwise null
    jitnorm_memory_desc md;
};
