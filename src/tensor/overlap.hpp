// SPDX-License-Identifier: Apache-2.0
// overlap: whether two elements of a strided tensor are at one place in memory.
#pragma once

#include <span>

#include "../base/dim.hpp"

namespace jitnorm::impl {

// A dimension of at least two indices whose stride is not 0. The sum of stride * most over a tensor's dimensions,
// its largest offset, must be a dim_t.
struct strided_dim {
    dim_t stride;
    dim_t most; // the largest difference of two indices
    int number; // among the tensor's dimensions
};

enum class overlap { none, found, not_known };

struct overlap_search {
    overlap result = overlap::none;
    int dim = 0;        // otherwise: the dimension with the largest stride along which the elements differ
    dim_t distance = 0; // the distance along this dimension that the dimensions of smaller strides have, too
};

// How many sums of differences a search tries. Two dimensions take one. Three take at most as many as the one of the
// largest stride has indices, and usually few.
constexpr int MOST_TRIES = 1 << 16;

// Finds out whether elements overlap. Sorts the dimensions. The answer is exact, unless it is that MOST_TRIES are too
// few.
overlap_search find_overlap(std::span<strided_dim> dims);

} // namespace jitnorm::impl
