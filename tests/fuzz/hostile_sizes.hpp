// SPDX-License-Identifier: Apache-2.0
// hostile_sizes: dimensions, strides and other numbers, mild ones and such as overflow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "byte_stream.hpp"
#include "jitnorm/jitnorm_types.h"

namespace jitnorm::fuzz {

using sizes = std::vector<int64_t>; // one for each dimension

inline int64_t hostile_number(byte_stream &choices) {
    constexpr int64_t LARGE = int64_t(1) << 31;
    constexpr int64_t NUMBERS[] = {0,           -1,          INT64_MIN, INT64_MIN + 1, INT64_MAX,     INT64_MAX - 1,
                                   LARGE,       LARGE - 1,   LARGE + 1, LARGE * 2,     LARGE << 8,    LARGE << 29,
                                   LARGE << 30, LARGE << 31, -LARGE,    INT64_MAX / 4, INT64_MAX / 8, 65537};
    if (choices.one_in(8)) return int64_t(choices.number());
    return choices.pick(NUMBERS);
}

// Rows are few and short, at times as long as a chunk and more; now and then a tensor has no elements.
inline int64_t mild_size(byte_stream &choices, bool last) {
    constexpr int64_t LENGTHS[] = {7, 8, 16, 17, 31, 32, 33, 64, 100, 512, 513, 768, 1025, 4097};
    if (choices.one_in(20)) return 0;
    return last && choices.coin() ? choices.pick(LENGTHS) : int64_t(1 + choices.below(last ? 40 : 6));
}

inline sizes choose_dims(byte_stream &choices, size_t ndims) {
    sizes dims(ndims);
    for (size_t d = 0; d < ndims; ++d)
        dims[d] = choices.hostile() ? hostile_number(choices) : mild_size(choices, d + 1 == ndims);
    if (ndims > 1 && choices.one_in(32)) dims[ndims - 2] = 300; // enough rows for several threads
    return dims;
}

// Strides of dimensions in any order, with gaps now and then; or broadcast, overlapping, negative and too large ones.
inline sizes choose_strides(byte_stream &choices, const sizes &dims) {
    std::vector<size_t> order(dims.size());
    std::iota(order.rbegin(), order.rend(), size_t(0));
    for (size_t i = 0; i + 1 < order.size(); ++i)
        if (choices.one_in(3)) std::swap(order[i], order[i + choices.below(order.size() - i)]);
    sizes strides(dims.size());
    uint64_t step = 1 + (choices.one_in(4) ? choices.below(3) : 0);
    for (const size_t d : order) {
        strides[d] = int64_t(step);
        step *= uint64_t(dims[d]); // a product of zero is what frameworks compute for a tensor without elements
        if (choices.one_in(4)) step += choices.below(5);
        if (choices.one_in(40)) strides[d] = 0;
        if (choices.hostile()) strides[d] = hostile_number(choices);
    }
    return strides;
}

// Elements, or -1 where their number is more than `limit` or a size is negative.
inline int64_t count_up_to(const sizes &dims, int64_t limit) {
    if (std::any_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; })) return -1;
    if (std::count(dims.begin(), dims.end(), 0) > 0) return 0;
    int64_t count = 1;
    for (const int64_t dim : dims)
        if (__builtin_mul_overflow(count, dim, &count) || count > limit) return -1;
    return count;
}

constexpr int64_t MOST_ELEMENTS = 16384; // of a tensor that is executed: an input takes milliseconds
constexpr size_t MOST_BYTES = 1 << 20;

} // namespace jitnorm::fuzz
