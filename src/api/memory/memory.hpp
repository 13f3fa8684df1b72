// SPDX-License-Identifier: Apache-2.0
// memory: what is behind a memory handle of the C interface: a descriptor and the place of the data.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "../../base/boundary.hpp"
#include "../../base/bytes.hpp"
#include "../../tensor/memory_desc.hpp"

namespace jitnorm::impl::api {

// Tells quickly whether two descriptors mean the same elements at the same places: the properties by which tensors of
// up to 3 dimensions differ, in one cache line, because every execution compares one descriptor for each argument.
// Dense tensors without an offset that have the same type and dimensions are the same, so only half of their digests is
// compared.
class tensor_digest {
    static constexpr size_t DIMS = 3, WORDS = 4;
    static constexpr dim_t RANK = 0x7f, DENSE = 0x80, BLOCKS = dim_t(0xff) << 24;

public:
    tensor_digest() = default;
    explicit tensor_digest(const memory_desc &md)
        : kind_{md.ndims | dim_t(md.data_type) << 8 | dim_t(md.format_kind) << 16 | dim_t(md.inner_nblks) << 24},
          place_{md.offset0} {
        bool dense = md.ndims <= int(DIMS) && md.inner_nblks == 0 && md.offset0 == 0;
        auto step = uint64_t(1);
        for (size_t d = std::min(DIMS, size_t(md.ndims)); d-- > 0; step *= uint64_t(md.dims[d])) {
            kind_[1 + d] = md.dims[d];
            if (md.dims[d] == 1) continue;
            place_[1 + d] = md.strides[d];
            dense = dense && uint64_t(md.strides[d]) == step;
        }
        if (dense) kind_[0] |= DENSE;
    }

    bool operator==(const tensor_digest &other) const {
        return same(kind_, other.kind_) && ((kind_[0] & DENSE) != 0 || same(place_, other.place_));
    }

    // Whether tensors with this digest are the same. Digests leave out the sizes of further dimensions and of inner
    // blocks.
    bool says_all() const { return (kind_[0] & RANK) <= dim_t(DIMS) && (kind_[0] & BLOCKS) == 0; }

private:
    using words = std::array<dim_t, WORDS>;
    static bool same(const words &a, const words &b) { // has no loop and no branch
        return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
    }

    words kind_ = {}, place_ = {}; // type and dimensions; offset and strides, without strides of dimensions of size 1
};

} // namespace jitnorm::impl::api

struct jitnorm_memory {
    jitnorm::impl::api::tensor_digest digest; // of md
    void *handle;
    jitnorm_engine_t engine;
    jitnorm::impl::aligned_bytes owned; // the memory's own bytes, or the value of a host scalar; otherwise null
    jitnorm_memory_desc md;
};
