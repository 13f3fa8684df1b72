// SPDX-License-Identifier: Apache-2.0
// make_plan: makes the plan of a problem on a given machine.
#pragma once

#include "../base/machine.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"
#include "row_tensors.hpp"

namespace jitnorm::impl::layer_norm {

// For a problem with elements and known sizes.
//
// Threads share the rows. If rows are few and long, they share the chunks of the rows. Backward reads them once by
// rows, which belong to a part of the rows (row_blocks.hpp), and twice by chunks, first for the sums and then for
// diff_src.
plan forward_plan(const problem &p, const machine &m);
plan backward_plan(const problem &p, const machine &m);

// For a problem with run-time sizes. Only plan::scratchpad of the result counts: it is enough for any sizes, if the
// plan of an execution does not share the chunks of long rows among threads (plan::give_up_chunks). Backward has none,
// because what it needs grows with the sizes.
plan forward_plan_for_any_size(const problem &p);

// How many threads are worth starting to add up sums of so many bytes. `lines` is the number of pieces that the sums
// can be cut into.
int merging_threads(dim_t bytes, dim_t lines);

// Whether src has fewer bits than the compute type.
inline bool is_narrow(const problem &p) { return element_size(p[SRC]) < p.compute_size(); }

// The bytes of a problem's data tensors.
dim_t data_bytes(const problem &p, const row_tensors &tensors);

// The bytes of a row in all tiles of data tensors together.
dim_t pitch_together(const row_tensors &tensors, const plan &planned);

} // namespace jitnorm::impl::layer_norm
