// SPDX-License-Identifier: Apache-2.0
// tuning: every decision about speed that depends on sizes, in one place. None of them changes a bit of any result;
// docs/performance.md has the measurements behind them.
#pragma once

#include <algorithm>

#include "memory_desc.hpp"

namespace jitnorm::impl::layer_norm::tuning {

// A thread is worth starting for this many bytes read and written.
constexpr dim_t BYTES_PER_THREAD = 64 * 1024;

// Where every part needs scratchpad, there are no more than this many, whatever the number of threads.
constexpr int MAX_PARTS = 64;

constexpr int threads(dim_t bytes, dim_t rows, int available) {
    return int(std::clamp<dim_t>(std::min(bytes / BYTES_PER_THREAD, rows), 1, available));
}

// Rows go through the kernels in batches: swept together, their few scalar steps done together, then normalized.
constexpr dim_t MAX_BATCH_ROWS = 32;

// How to walk rows.
struct plan {
    dim_t batch_rows;
    dim_t together;    // rows normalized at once: a pair shares loads, a single row keeps the memory streams few
    bool prefetch;     // the next batch, while this one is normalized
    bool non_temporal; // stores
};

// For so many bytes read and written by all threads, in rows of so many to read and to write.
plan plan_for(dim_t total_bytes, dim_t src_row_bytes, dim_t dst_row_bytes);

// Layouts that are packed: the tiles of some rows stay in L2 while they are gathered, normalized and scattered. Many
// rows at once are what makes the tensor's cache lines used whole.
constexpr dim_t PACKED_TILE_BYTES = 288 * 1024;
constexpr dim_t MAX_TILE_ROWS = 256;
// Backward takes larger tiles where sums in the order of the rows leave no other way to use lines whole.
constexpr dim_t LARGEST_TILE_BYTES = 2 * PACKED_TILE_BYTES;

// `pitch`: bytes of a row in all tiles together.
constexpr dim_t packed_rows(dim_t pitch) { return std::clamp<dim_t>(PACKED_TILE_BYTES / pitch, 1, MAX_TILE_ROWS); }
plan packed_plan(dim_t pitch);

// ---- backward

// Rows longer than this do not stay in L2 between their sums and diff_src: threads take chunks of all rows instead.
constexpr dim_t LONG_ROW = 128 * 1024;

// A thread is worth starting for this many bytes: more than in forward, since its sums are merged afterwards.
constexpr dim_t BACKWARD_BYTES_PER_THREAD = 96 * 1024;

constexpr int backward_threads(dim_t bytes, dim_t shares, int available) {
    return int(std::clamp<dim_t>(std::min(bytes / BACKWARD_BYTES_PER_THREAD, shares), 1, available));
}

struct backward_plan {
    dim_t batch_rows;  // swept together for their sums, then again for diff_src
    bool prefetching;  // the next batch, while diff_src is written
    bool non_temporal; // stores
};

// For `bytes` read and written by each thread, in rows of `row_bytes` to read.
backward_plan backward_plan_for(dim_t bytes, dim_t total_bytes, dim_t row_bytes);

} // namespace jitnorm::impl::layer_norm::tuning
