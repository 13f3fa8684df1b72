// SPDX-License-Identifier: Apache-2.0
// backward_plan: makes the plan of a backward problem on a given machine.
#pragma once

#include "../base/machine.hpp"
#include "../core/plan.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// For a problem with elements and known sizes.
//
// Usually the work goes by rows: each thread takes some parts of the rows (row_blocks.hpp) and reads them once. If rows
// are few or too long for L2, the work goes by chunks: each thread takes some chunks of all rows and reads them twice,
// first for the sums and then for diff_src.
plan backward_plan(const problem &p, const machine &m);

// How many threads are worth starting to add up sums of so many bytes. `lines` is the number of pieces that the sums
// can be cut into.
int merging_threads(dim_t bytes, dim_t lines);

} // namespace jitnorm::impl::layer_norm
