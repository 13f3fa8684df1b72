// SPDX-License-Identifier: Apache-2.0
// merge_gradients: the sums of all parts of a problem's rows, made a range of rows at a time, become its gradient: all
// at once, or range by range in a running sum.
#pragma once

#include <span>

#include "../arithmetic/row_blocks.hpp"

namespace jitnorm::impl::layer_norm::reference {

struct row_range_sums {
    row_blocks cut;      // of the range
    const double *parts; // cut.parts() rows of sums, of any alignment
};

// `ranges` are all rows in their order. The gradient is f64, f32, bf16 or f16, of any alignment.
void merge_gradients(std::span<const row_range_sums> ranges, dim_t columns, jitnorm_data_type_t type, void *gradient);

// running: `columns` totals of the parts that have ended, then as many sums of the part that has not; zeros at first.
// After the last range all parts have ended.
void add_partial_gradients(const row_range_sums &range, bool is_last, dim_t columns, std::span<double> running);

} // namespace jitnorm::impl::layer_norm::reference
