// SPDX-License-Identifier: Apache-2.0
// dim: the type of sizes, indices and numbers of bytes, which is signed and has 64 bits, as in the C interface. How
// they are rounded, and how ranges of them are cut.
#pragma once

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

using dim_t = jitnorm_dim_t;

constexpr long long as_number(dim_t value) { return value; } // for %lld

constexpr dim_t CACHE_LINE = 64; // bytes; this is also the size of the widest vector

constexpr dim_t divide_up(dim_t count, dim_t size) { return (count + size - 1) / size; }
constexpr dim_t round_up(dim_t count, dim_t size) { return divide_up(count, size) * size; }
constexpr dim_t in_whole_lines(dim_t bytes) { return round_up(bytes, CACHE_LINE); }

struct range {
    dim_t begin, end;
};

// Cuts 0 .. count-1 into `parts` ranges of nearly equal size and returns the range number `part`.
constexpr range split(dim_t count, int parts, int part) {
    if (parts == 1) return {0, count}; // a frequent case that needs no division
    const dim_t share = count / parts, rest = count % parts;
    const dim_t begin = part * share + (part < rest ? part : rest);
    return {begin, begin + share + (part < rest ? 1 : 0)};
}

} // namespace jitnorm::impl
