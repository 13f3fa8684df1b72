// SPDX-License-Identifier: Apache-2.0
// memory: the object behind a memory handle of the C interface, a descriptor and the address of the data.
#pragma once

#include <cstdint>

#include "../../base/boundary.hpp"
#include "../../base/bytes.hpp"
#include "../../tensor/memory_desc.hpp"

namespace jitnorm::impl::api {

// Two descriptors with the same key mean the same elements at the same places. There are keys for dense tensors without
// an offset, of up to 3 dimensions of less than 2^18, so that an execution compares one number for each argument; for
// other tensors this is 0.
inline uint64_t layout_key(const memory_desc &md) {
    constexpr int DIMS = 3, DIM_BITS = 18, RANK_BITS = 2;
    if (md.ndims > DIMS || md.format_kind != jitnorm_blocked || md.inner_nblks != 0 || md.offset0 != 0) return 0;
    uint64_t sizes = 0;
    dim_t step = 1;
    for (int d = md.ndims - 1; d >= 0; step *= md.dims[d--]) {
        if (md.dims[d] >> DIM_BITS != 0 || (md.strides[d] != step && md.dims[d] != 1)) return 0;
        sizes = sizes << DIM_BITS | uint64_t(md.dims[d]);
    }
    return uint64_t(md.data_type << RANK_BITS | md.ndims) << DIMS * DIM_BITS | sizes;
}

// Why a buffer with another number than 0 is refused.
inline status no_buffer(int index) { return invalid(explain("index is %d; the only buffer is 0", index)); }

} // namespace jitnorm::impl::api

struct jitnorm_memory {
    uint64_t key; // layout_key() of md
    void *handle;
    jitnorm_engine_t engine;
    jitnorm::impl::aligned_bytes owned; // the memory's own bytes, or the value of a host scalar; otherwise null
    jitnorm_memory_desc md;
};
