// SPDX-License-Identifier: Apache-2.0
// plan: every decision about speed for one problem on one machine, and the layout of the scratchpad, as a value. An
// executor is made from a problem and a plan, and follows the plan. No plan changes a bit of any result.
// docs/performance.md has the measurements behind the numbers.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <string>

#include "../tensor/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

// The most rows of a batch. The rows of a batch are reduced together, then the scalar steps of their statistics are
// done together, then they are normalized together.
constexpr dim_t MAX_BATCH_ROWS = 32;

// The most threads of an execution whose threads need scratchpad, whatever the number of cores.
constexpr int MAX_SHARES = 64;

// The most data tensors that one direction has.
constexpr int MAX_ROW_TENSORS = 5;

// Where kernels find the rows of the data tensors (src/layout/row_tensors.hpp).
enum class row_access {
    in_place,   // in the tensors
    tiles,      // in tiles, into which inputs are gathered and from which outputs are scattered
    interleaved // in tiles, with the rows in the order of interleaved_blocks.hpp
};

// The layout of the scratchpad. Each thread has a share: its tiles, then tiles of post-op operands, then what else it
// needs for itself. Behind all shares lies what the threads have in common.
struct scratchpad_plan {
    int shares = 0; // how many there are
    dim_t tile_bytes = 0, operand_bytes = 0, own_bytes = 0, common_bytes = 0;

    dim_t share_bytes() const { return tile_bytes + operand_bytes + own_bytes; }
    size_t bytes() const { return size_t(shares * share_bytes() + common_bytes); }

    std::byte *tiles(void *scratchpad, int share) const {
        return static_cast<std::byte *>(scratchpad) + share * share_bytes();
    }
    std::byte *operands(void *scratchpad, int share) const { return tiles(scratchpad, share) + tile_bytes; }
    std::byte *own(void *scratchpad, int share) const { return operands(scratchpad, share) + operand_bytes; }
    std::byte *common(void *scratchpad) const { return tiles(scratchpad, shares); }

    bool operator==(const scratchpad_plan &) const = default;
};

// How one execution goes through the rows: what a plan leaves open until the number of threads and the places of the
// tensors are known.
struct walk {
    int threads;
    bool by_chunks;    // threads share the chunks of long rows; otherwise they share rows
    bool prefetch;     // the next batch is prefetched
    bool non_temporal; // the result is written by non-temporal stores
};

struct plan {
    // ---- rows
    row_access rows = row_access::in_place;
    dim_t tile_rows = 0;                           // the most rows of a tile
    std::array<dim_t, MAX_ROW_TENSORS> pitch = {}; // bytes from row to row of each tensor's tile; 0: it has no tile
    bool shares_tile = false;                      // the last tensor has the tile of the one before it
    dim_t sum_pitch = 0;                           // bytes from row to row of the tile of sums with a residual; or 0
    dim_t panel_columns = 0;                       // columns of a panel
    dim_t block_rows = 0;                          // interleaved only: rows of a row block
    dim_t float_columns = 0; // where scales are found: columns of a tile of floats, whole groups or part of one

    // ---- batches
    dim_t batch_rows = 1;      // rows of a batch: so many that they stay in L1 from one kernel to the next
    dim_t rows_per_pass = 1;   // forward: 2 rows share the loads of scale and shift, 1 needs fewer memory streams
    int prefetch_threads = 0;  // batches are prefetched if an execution has at most so many threads
    bool non_temporal = false; // the result is stored past the caches where it lies as such stores need it

    // ---- the number of threads worth starting, if so many are available
    int row_threads = 1;      // when threads share rows
    int chunk_threads = 0;    // when threads share the chunks of long rows; 0: they never do
    int chunk_gain = 1;       // threads share chunks if more of them can work then, at least so many times as many
    bool only_chunks = false; // threads always share chunks

    scratchpad_plan scratchpad;

    // Bytes of the tile of a batch's sums with a residual.
    dim_t sum_bytes() const { return batch_rows * sum_pitch; }

    // Whether one thread is enough. Then nobody needs to ask how many there are.
    bool takes_one_thread() const { return row_threads == 1 && chunk_threads <= 1; }
    // `past_caches`: whether the result begins a cache line and is not in the place of an input (lies_past_caches()).
    // It matters only where `non_temporal` is set.
    walk on(int available_threads, bool past_caches) const;
    bool may_go_by_chunks(int available_threads) const;
    // Lets threads share rows only. This is for forward plans, whose threads then have no scratchpad in common.
    void give_up_chunks();

    bool operator==(const plan &) const = default;
};

// "rows:tiles,tile_rows:64,panel:768,batch:5,...", for the log.
std::string describe(const plan &p);

// ---- rules that the plans of both directions follow

// Work of less than this many times `bytes_per_thread` stays on one thread. It takes a few microseconds, of which a
// second thread would save at most one, because a parallel region takes one or two itself. But where the other core is
// busy, the region waits until the system has given that core back, which takes thousands of them.
constexpr dim_t LEAST_SHARED_WORK = 4;

// Threads that sleep while they wait take ten microseconds to wake, and more if their core is busy. They need so many
// times as much work.
constexpr dim_t WORK_FOR_SLEEPERS = 8;

// How many threads are worth starting: one for each `bytes_per_thread`, at least one, and at most `shares`, the number
// of pieces that the work can be cut into. `bytes_per_thread` is for threads that are awake.
constexpr int threads_for(dim_t bytes, dim_t bytes_per_thread, dim_t shares, bool threads_sleep) {
    if (threads_sleep) bytes_per_thread *= WORK_FOR_SLEEPERS;
    if (bytes < LEAST_SHARED_WORK * bytes_per_thread) return 1;
    return int(std::clamp<dim_t>(std::min(bytes / bytes_per_thread, shares), 1, 1 << 20));
}

// The most threads with which prefetching is worth while, for plan::prefetch_threads. Each thread must have more than
// `near` bytes, since its own caches keep fewer at hand. If `bytes`, the data of all threads, do not fit into the last
// level, any number of threads prefetches.
constexpr int prefetching_threads(dim_t bytes, dim_t near, dim_t last_level) {
    return bytes >= last_level ? INT_MAX : int(std::min<dim_t>(bytes / (near + 1), INT_MAX));
}

// If the data is more than this many times as large as L2, kernels wait for the last level most of the time.
constexpr dim_t FAR_FROM_L2 = 6;

// How many rows of `row_bytes` make a batch of about `batch_bytes`: at least 1, at most MAX_BATCH_ROWS.
constexpr dim_t batch_of(dim_t batch_bytes, dim_t row_bytes) {
    return std::clamp<dim_t>(batch_bytes / std::max<dim_t>(row_bytes, 1), 1, MAX_BATCH_ROWS);
}
constexpr dim_t IN_CACHE_BATCH = 16 * 1024; // a batch of so many bytes stays in L1 beside what else is used there

// Tiles of so many bytes together stay in L2 while their rows are gathered, worked on and scattered. They should have
// many rows, so that gathering uses each cache line of the tensor whole.
constexpr dim_t TILE_BYTES = 288 * 1024;
constexpr dim_t MAX_TILE_ROWS = 256;
// How many rows fit into the tiles; `pitch` is the bytes of one row in all tiles together.
constexpr dim_t tile_rows_for(dim_t pitch) {
    return std::clamp<dim_t>(TILE_BYTES / std::max<dim_t>(pitch, 1), 1, MAX_TILE_ROWS);
}

constexpr dim_t in_whole_lines(dim_t bytes) { return (bytes + 63) / 64 * 64; }

} // namespace jitnorm::impl::layer_norm
