// SPDX-License-Identifier: Apache-2.0
// plan: every decision about speed for one problem on one machine, and what is where in the scratchpad. A value that an
// executor is made of; the executor decides nothing. No plan changes a bit of any result. docs/performance.md has the
// measurements behind the numbers.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <string>

#include "memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

// Rows go through the kernels in batches: swept together, their few scalar steps done together, then normalized.
constexpr dim_t MAX_BATCH_ROWS = 32;

// Where every thread needs scratchpad, there are no more than this many, whatever the number of cores.
constexpr int MAX_SHARES = 64;

// Data tensors of one direction at the most.
constexpr int MAX_ROW_TENSORS = 5;

// Where kernels find the rows of the data tensors (src/layout/row_tensors.hpp).
enum class row_access {
    in_place,   // where they are
    tiles,      // gathered into dense buffers, and scattered
    interleaved // the same, in an order that uses cache lines whole where sums over rows have an order of their own
};

// Each thread has a share: its tiles, tiles of post-op operands, and what else is its own. What is common comes behind
// all shares.
struct scratchpad_plan {
    int shares = 0;
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

// What is left to decide when an execution knows its threads and where its tensors are.
struct walk {
    int threads;
    bool by_chunks; // threads share the chunks of long rows; otherwise rows
    bool prefetch;
    bool non_temporal;
};

struct plan {
    // ---- rows
    row_access rows = row_access::in_place;
    dim_t tile_rows = 0;                           // rows of a tile at the most
    std::array<dim_t, MAX_ROW_TENSORS> pitch = {}; // bytes from row to row of each tensor's tile; 0: it has none
    bool shares_tile = false;                      // the last tensor is written to the tile of the one before
    dim_t sum_pitch = 0;                           // the same of sums with a residual
    dim_t panel_columns = 0;                       // columns of the rows that are open at a time
    dim_t block_rows = 0;                          // of a block of interleaved rows
    dim_t float_columns = 0; // of a tile of floats, where scales are found: whole groups, or part of one

    // ---- batches
    dim_t batch_rows = 1;      // rows that stay in L1 between what is done to them
    dim_t rows_per_pass = 1;   // forward: 2 share the loads of scale and shift, 1 keeps the memory streams few
    int prefetch_threads = 0;  // the next batch is prefetched by so many threads or fewer
    bool non_temporal = false; // stores, if the first element lies at a cache line

    // ---- threads worth starting, however many there are
    int row_threads = 1;
    int chunk_threads = 0;    // 0: chunks of long rows are not shared
    int chunk_gain = 1;       // chunks are shared where that means so many times the threads
    bool only_chunks = false; // always

    scratchpad_plan scratchpad;

    // The tile of a batch's sums with a residual.
    dim_t sum_bytes() const { return batch_rows * sum_pitch; }

    // Whether one thread is enough: nobody needs to ask then how many there are.
    bool is_for_one_thread() const { return row_threads == 1 && chunk_threads <= 1; }
    walk on(int available_threads, bool at_cache_line) const;
    bool may_go_by_chunks(int available_threads) const;
    // Chunks are not shared any more: for forward, which then needs nothing in common.
    void give_up_chunks();

    bool operator==(const plan &) const = default;
};

inline bool plan::may_go_by_chunks(int available_threads) const {
    if (only_chunks || chunk_threads == 0) return only_chunks;
    const int by_rows = std::min(row_threads, available_threads);
    const int by_chunks = std::min(chunk_threads, available_threads);
    return by_chunks > by_rows && by_chunks >= chunk_gain * by_rows;
}

inline walk plan::on(int available_threads, bool at_cache_line) const {
    const bool by_chunks = may_go_by_chunks(available_threads);
    const int threads = std::min(by_chunks ? chunk_threads : row_threads, available_threads);
    // By chunks the next row is far away.
    return {threads, by_chunks, !by_chunks && threads <= prefetch_threads, non_temporal && at_cache_line};
}

// "rows:tiles,tile_rows:64,panel:768,batch:5,...", for the log.
std::string describe(const plan &p);

// ---- rules that plans of all kinds share

// A thread is worth starting for so many bytes; `shares` is what there is to share.
constexpr int threads_for(dim_t bytes, dim_t bytes_per_thread, dim_t shares) {
    return int(std::clamp<dim_t>(std::min(bytes / bytes_per_thread, shares), 1, 1 << 20));
}

// How many threads prefetch at the most: as many as have more than `near` bytes each, which their own caches keep at
// hand; any number where all of it together leaves the last level.
constexpr int prefetching_threads(dim_t bytes, dim_t near, dim_t last_level) {
    return bytes >= last_level ? INT_MAX : int(std::min<dim_t>(bytes / (near + 1), INT_MAX));
}

// Data of so many times L2 wait for the last level most of the time.
constexpr dim_t FAR_FROM_L2 = 6;

// A batch of rows of so many bytes that stays in L1 beside what else is used there.
constexpr dim_t batch_of(dim_t batch_bytes, dim_t row_bytes) {
    return std::clamp<dim_t>(batch_bytes / std::max<dim_t>(row_bytes, 1), 1, MAX_BATCH_ROWS);
}
constexpr dim_t IN_CACHE_BATCH = 16 * 1024;

// The tiles of some rows stay in L2 while they are gathered, worked on and scattered. Many rows at once are what makes
// the tensor's cache lines used whole.
constexpr dim_t TILE_BYTES = 288 * 1024;
constexpr dim_t MAX_TILE_ROWS = 256;
// `pitch`: bytes of a row in all tiles together.
constexpr dim_t tile_rows_for(dim_t pitch) {
    return std::clamp<dim_t>(TILE_BYTES / std::max<dim_t>(pitch, 1), 1, MAX_TILE_ROWS);
}

constexpr dim_t in_whole_lines(dim_t bytes) { return (bytes + 63) / 64 * 64; }

} // namespace jitnorm::impl::layer_norm
