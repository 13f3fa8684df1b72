// SPDX-License-Identifier: Apache-2.0
// aligned_bytes: memory that the library allocates for tensors and scratchpads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace jitnorm::impl {

constexpr size_t ALIGNMENT = 64; // the size of a cache line and of the widest vector

struct free_bytes {
    void operator()(void *bytes) const { std::free(bytes); }
};
using aligned_bytes = std::unique_ptr<void, free_bytes>;

// `size` bytes, aligned to ALIGNMENT; null if there is not enough memory.
inline aligned_bytes allocate_aligned(size_t size) {
    const size_t whole = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return aligned_bytes(whole < size ? nullptr : std::aligned_alloc(ALIGNMENT, whole));
}

// The first aligned address that is not below `address`.
inline char *align_up(void *address) {
    const auto value = reinterpret_cast<uintptr_t>(address);
    return static_cast<char *>(address) + (ALIGNMENT - value % ALIGNMENT) % ALIGNMENT;
}

} // namespace jitnorm::impl
