// SPDX-License-Identifier: Apache-2.0
// bytes: the type of sizes, indices and numbers of bytes, how they are rounded, and how ranges of them are cut; memory
// that the library allocates for tensors and scratchpads; access to values in users' memory, which may have any
// alignment; and rows in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

using dim_t = jitnorm_dim_t; // is signed and has 64 bits, as in the C interface

constexpr long long as_number(dim_t value) { return value; } // for %lld

constexpr dim_t CACHE_LINE = 64; // bytes; this is also the size of the widest vector

constexpr dim_t divide_up(dim_t count, dim_t size) { return (count + size - 1) / size; }
constexpr dim_t in_whole_lines(dim_t bytes) { return divide_up(bytes, CACHE_LINE) * CACHE_LINE; }

struct range {
    dim_t begin, end;
};

// Cuts 0 .. count-1 into `parts` ranges of nearly equal size and returns the range number `part`.
constexpr range split(dim_t count, int parts, int part) {
    if (parts == 1) return {0, count};                         // a frequent case that needs no division
    const dim_t least = count / parts, longer = count % parts; // so many ranges have one more than the least
    const dim_t begin = part * least + (part < longer ? part : longer);
    return {begin, begin + least + (part < longer ? 1 : 0)};
}

constexpr size_t ALIGNMENT = size_t(CACHE_LINE);

struct free_bytes {
    void operator()(void *bytes) const { std::free(bytes); }
};
using aligned_bytes = std::unique_ptr<void, free_bytes>;

// How many bytes of any alignment hold `size` aligned ones.
constexpr size_t size_with_alignment(size_t size) { return size == 0 ? 0 : size + ALIGNMENT - 1; }

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

// The element `index` of an array of values.
template <typename Value>
Value load(const void *array, dim_t index = 0) {
    Value value;
    std::memcpy(&value, static_cast<const char *>(array) + index * dim_t(sizeof value), sizeof value);
    return value;
}

template <typename Value>
void store(Value value, void *array, dim_t index = 0) {
    std::memcpy(static_cast<char *>(array) + index * dim_t(sizeof value), &value, sizeof value);
}

// The address `bytes` after `first`; null stays null.
inline std::byte *after(const void *first, dim_t bytes) {
    return first == nullptr ? nullptr : static_cast<std::byte *>(const_cast<void *>(first)) + bytes;
}

// Rows of one tensor, evenly spaced in memory: the first element of the first row, and the bytes from row to row.
struct strip {
    std::byte *first;
    dim_t stride;
    std::byte *row(dim_t number) const { return first + number * stride; }
};

} // namespace jitnorm::impl
