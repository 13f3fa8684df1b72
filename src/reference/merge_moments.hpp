// SPDX-License-Identifier: Apache-2.0
// merge_moments: makes the moments of rows from those of their chunks, which problems have written that share the
// columns.
#pragma once

#include <span>

#include "../base/dim.hpp"

namespace jitnorm::impl::layer_norm::reference {

struct column_range_moments {
    dim_t chunks;          // how many the range has of each row
    const double *chunked; // for each row the moments of these chunks (moments.hpp); may have any alignment
};

// `ranges` cover all columns, in order. `merged` gets the moments of each row, zeros if it has no chunks; it may have
// any alignment.
void merge_moments(std::span<const column_range_moments> ranges, dim_t rows, bool in_double, double *merged);

} // namespace jitnorm::impl::layer_norm::reference
