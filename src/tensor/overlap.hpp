// SPDX-License-Identifier: Apache-2.0
// overlap: whether strides let elements of a tensor share memory.
#pragma once

#include "memory_desc.hpp"

namespace jitnorm::impl {

enum class overlap { none, found, too_large };

// Two elements may share memory only along a dimension of stride 0 (a broadcast dimension). Of the other dimensions,
// taken from the smallest stride to the largest, each must have a stride of at least what the ones before it span. The
// stride of a dimension of size 1 does not matter, since it is never used. If elements overlap, `dimension` is one
// whose stride is too small, and `span` is the smallest stride that it could have. too_large: such a span cannot be
// represented.
overlap find_overlap(const memory_desc &md, int &dimension, dim_t &span);

} // namespace jitnorm::impl
