// SPDX-License-Identifier: Apache-2.0
// backward_plan: how backward goes through rows, on a given machine.
#pragma once

#include "../core/plan.hpp"
#include "../core/problem.hpp"
#include "../system/machine.hpp"

namespace jitnorm::impl::layer_norm {

// Of a problem with elements and known sizes.
//
// By rows, each thread takes some parts of the rows (row_blocks.hpp) and reads them once. Where rows are few or too
// long for L2 the work goes by chunks: each thread takes some columns of all rows, for the sums first and then for
// diff_src.
plan backward_plan(const problem &p, const machine &m);

// Threads worth starting to add up sums of so many bytes in so many lines.
int merging_threads(dim_t bytes, dim_t lines);

} // namespace jitnorm::impl::layer_norm
