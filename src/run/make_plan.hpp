// SPDX-License-Identifier: Apache-2.0
// make_plan: makes the plan of a problem on a given machine, and the further decisions that choose kernels.
#pragma once

#include "../base/machine.hpp"
#include "../jit/configurations.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// Threads share the rows. If rows are few and long, they share the chunks of the rows. Backward reads them once by
// rows, which belong to a part of the rows (row_blocks.hpp), and twice by chunks, first for the sums and then for
// diff_src.
//
// For a problem with run-time sizes only plan::scratchpad of the result counts: it is enough for any sizes, if the plan
// of an execution does not share the chunks of long rows among threads (plan::give_up_chunks). Backward has none,
// because its scratchpad grows with the sizes.
plan make_plan(const problem &p, const machine &m);

// ---- decisions that follow from a problem, for kernels as well. A row length of RUNTIME_DIM is negative, and counts
// as one of at most CHUNK.

// Whether one kernel may do rows from their inputs to the result, if a panel has them whole. It finds scales only of
// whole rows. In backward the rows are at most a chunk.
bool may_go_in_bands(const problem &p);
// Whether backward computes gradients of scale or shift, and sums of rows, without which there is no diff_src.
bool wants_gradients(const problem &p);
bool wants_row_sums(const problem &p);
// Whether the kernels that are made for this problem write the gradients of each row as they reduce it, because it
// has its own or is the only one. Otherwise the gradients are made of column sums.
bool writes_gradients_of_rows(const problem &p);
// Whether the output for the sum with a residual holds the rows as they are normalized. The kernels read them there,
// which leaves L1 to the data; otherwise sums have a tile.
bool normalizes_the_sum(const problem &p);

// ---- decisions that follow from a plan

// Bytes from row to row of the tile of sums with a residual; 0: there is none.
dim_t sum_pitch(const problem &p, const plan &planned);
// To which cache kernels prefetch later rows: rows in place; those in tiles are in the caches.
jit::prefetch_to prefetch_of(const plan &planned);
// Whether the executor is single_batch: one batch is the whole problem, and goes in bands without cursors and threads.
bool takes_single_batch(const problem &p, const plan &planned);

} // namespace jitnorm::impl::layer_norm
