// SPDX-License-Identifier: Apache-2.0
// memory as the C interface's handle knows it: a descriptor and where its data is.
#pragma once

#include <cstdlib>
#include <memory>

#include "../core/memory_desc.hpp"
#include "engine.hpp"
#include "tensor_match.hpp"

namespace jitnorm::impl::api {

constexpr size_t ALIGNMENT = 64; // of what the library allocates: a cache line, and the widest vector

struct free_bytes {
    void operator()(void *bytes) const { std::free(bytes); }
};
using aligned_bytes = std::unique_ptr<void, free_bytes>;

// Null when there is not that much memory.
inline aligned_bytes allocate_aligned(size_t size) {
    const size_t whole = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return aligned_bytes(whole < size ? nullptr : std::aligned_alloc(ALIGNMENT, whole));
}

} // namespace jitnorm::impl::api

struct jitnorm_memory {
    jitnorm::impl::api::tensor_digest digest; // of md
    void *handle;
    jitnorm_engine_t engine;
    jitnorm::impl::api::aligned_bytes owned; // null: the handle is the caller's
    jitnorm_memory_desc md;
};
