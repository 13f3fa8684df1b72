// SPDX-License-Identifier: Apache-2.0
// merge_parts: merges the outputs of partial problems: the sums of parts, each for a range of the rows, to a gradient
// of scale or shift, all at once or one by one into a running sum; and, where problems share the columns, the moments
// of chunks to the moments of rows.
#pragma once

#include <span>

#include "../math/row_blocks.hpp"

namespace jitnorm::impl::layer_norm::reference {

struct row_range_sums {
    row_blocks cut;      // how the rows of the range are cut
    const double *parts; // cut.parts() rows of sums, one sum for each column; may have any alignment
};

// `ranges` cover all rows, in order. `gradient` is a vector of f64, f32, bf16 or f16; it may have any alignment.
void merge_gradients(std::span<const row_range_sums> ranges, dim_t columns, jitnorm_data_type_t type, void *gradient);

// Adds one range, whose sums may be of only some columns, to `running`, which has 2 * columns numbers: for each column
// the total of the parts that have ended, then for each column the sum of the part that has not. The caller sets
// them to zero before the first range. After the last range (`is_last`) all parts have ended, and the totals are the
// gradient in double.
void add_partial_gradients(const row_range_sums &range, bool is_last, dim_t columns, std::span<double> running);

struct column_range_moments {
    dim_t chunks;          // how many the range has of each row
    const double *chunked; // for each row the moments of these chunks (moments.hpp); may have any alignment
};

// `ranges` cover all columns, in order. `merged` gets the moments of each row, zeros if it has no chunks; it may have
// any alignment.
void merge_moments(std::span<const column_range_moments> ranges, dim_t rows, bool in_double, double *merged);

} // namespace jitnorm::impl::layer_norm::reference
