// SPDX-License-Identifier: Apache-2.0
// plan: the decisions about speed that depend on a problem's sizes and on the machine, and the layout of the
// scratchpad, as a value. An executor is made from a problem and a plan, and follows the plan. No plan changes a bit of
// any result. Decisions that depend only on types, on the instruction set or on the length of a row are made where they
// are used: which kernel reduces short rows (src/jit/kernels/kernels.hpp), and whether bands with a residual reduce the
// sums as they are added (src/run/problem_kernels.cpp). docs/measurements.md has the measurements for the numbers.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <string>

#include "../tensor/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

// The most rows of a batch. In steps all are reduced, then the scalar steps of all are done, then all are normalized;
// in bands the kernel cuts the batch further.
constexpr dim_t MAX_BATCH_ROWS = 32;

// The most threads of an execution whose threads need scratchpad, whatever the number of cores.
constexpr int MAX_SHARES = 64;

// Where kernels find the rows of the data tensors.
enum class row_access {
    in_place,   // in the tensors
    tiles,      // in tiles, into which inputs are gathered and from which outputs are scattered (src/run/rows.hpp)
    interleaved // in tiles, with the rows in the order of interleaved_blocks (src/tensor/row_order.hpp)
};

// The areas of the scratchpad. Each thread has a share of it; the areas that all threads share follow after all shares.
enum class scratch {
    tiles,            // rows that are gathered and scattered
    sum_rows,         // forward: rows of sums with a residual
    operands,         // forward: rows of post-op operands that are gathered
    values,           // forward: rows, or pieces of them, before they are quantized
    column_sums,      // backward: the column sums of a row block or, by chunks, of one chunk
    common,           // the part that all threads share begins here
    moments = common, // forward, by chunks: of each chunk of each row
    row_sums,         // backward, by chunks: the sums s1 and s2 of each chunk of each row
    gradient_sums,    // backward, by rows: the column sums of each part or, if blocks are kept, of all rows
    kept_blocks,      // backward, by rows: the column sums of each row block
    end
};

// The layout of the scratchpad: the planner books areas, and an executor gets their addresses.
class scratchpad_layout {
public:
    // Books so many bytes for `what`, in place of an earlier booking; of each share, or for all threads. Every area
    // begins a cache line if the scratchpad does.
    void book(scratch what, dim_t bytes) {
        const dim_t more = in_whole_lines(bytes) - booked(what);
        for (auto i = size_t(what) + 1; i < begin_.size(); ++i) begin_[i] += more;
    }
    void set_shares(int shares) { shares_ = shares; }

    bool has_shares() const { return share_bytes() != 0; }
    dim_t booked(scratch what) const { return begin_[size_t(what) + 1] - begin_[size_t(what)]; }
    size_t bytes() const { return size_t((shares_ - 1) * share_bytes() + begin_.back()); }

    // `share` is the number of the thread; it does not matter for areas that all threads share.
    template <typename T = std::byte>
    T *get(scratch what, void *scratchpad, int share = 0) const {
        const dim_t shares_before = what < scratch::common ? share : shares_ - 1;
        return reinterpret_cast<T *>(static_cast<std::byte *>(scratchpad) + shares_before * share_bytes() +
                                     begin_[size_t(what)]);
    }

    bool operator==(const scratchpad_layout &) const = default;

private:
    dim_t share_bytes() const { return begin_[size_t(scratch::common)]; }

    int shares_ = 1;                                         // at least 1
    std::array<dim_t, size_t(scratch::end) + 1> begin_ = {}; // in one share, with the shared areas after it
};

// How an execution goes through the rows. Threads share the rows, unless they share chunks. The kernels of steps and of
// chunks are the same, with one pass each (jit::pass_order::one_pass).
enum class way {
    bands, // one kernel reduces and writes a batch, band by band
    steps, // a kernel for each step does all rows of a batch
    chunks // all chunks of long rows are reduced, then all are written
};

// What a plan leaves open until the number of threads and the addresses of the tensors are known.
struct schedule {
    int threads;
    way through_rows;
    bool non_temporal; // the result is written by non-temporal stores
};

struct plan {
    // ---- rows, and how many of them kernels do at a time
    row_access rows = row_access::in_place;
    dim_t panel_columns = 0; // columns of a panel
    dim_t tile_rows = 0;     // the most rows of a tile; 0: there are no tiles
    dim_t batch_rows = 1;    // the most rows of a batch; in steps they stay in a cache from one kernel to the next
    // The most rows of a band, which one kernel reduces and then writes; 0: batches go in steps.
    dim_t band_rows = 0;
    // Forward: the most rows of a band where the result is stored past the caches; and of how many rows the distance of
    // prefetches is.
    dim_t non_temporal_band_rows = 0;

    // ---- the use of caches
    // To which level of the caches rows are prefetched, since they come from memory; 0: they are not. Which pass does
    // so stands with the kernels (src/run/problem_kernels.cpp) and, for tiles, in src/run/rows.cpp.
    int prefetch = 0;
    // The result is stored past the caches where it lies as such stores need it, with at most so many threads.
    int non_temporal_threads = 0;

    // ---- the number of threads worth starting, if so many are available
    int row_threads = 1;     // when threads share rows
    int chunk_threads = 0;   // when threads share the chunks of long rows; 0: they never do
    int chunks_from = NEVER; // threads share chunks if at least so many are available

    scratchpad_layout scratchpad;

    static constexpr int NEVER = INT_MAX;

    // For kernels of problems whose sizes are not known yet: executions may go every way.
    static const plan &anything();

    // Whether one thread is enough. Then nobody needs to ask how many there are.
    bool takes_one_thread() const { return row_threads == 1 && chunk_threads <= 1; }
    // A caller's pool may have as many threads as NEVER.
    bool may_go_by_chunks(int available_threads) const {
        return may_share_chunks() && available_threads >= chunks_from;
    }
    // Whether there are numbers of threads with which they share the rows, or the chunks.
    bool may_share_rows() const { return chunks_from > 1; }
    bool may_share_chunks() const { return chunks_from != NEVER; }
    // Whether all rows go in bands, so that no kernels for single steps are needed.
    bool goes_by_bands_only() const { return band_rows > 0 && !may_share_chunks(); }
    // `past_caches`: whether the result lies as non-temporal stores need it (result_lies_past_caches()). It matters
    // only where stores past the caches are planned.
    schedule on(int available_threads, bool past_caches) const {
        const bool by_chunks = may_go_by_chunks(available_threads);
        const int threads = std::min(by_chunks ? chunk_threads : row_threads, available_threads);
        const way by_rows = band_rows > 0 ? way::bands : way::steps;
        return {threads, by_chunks ? way::chunks : by_rows, threads <= non_temporal_threads && past_caches};
    }
    // Lets threads share chunks where more of them can work then, at least `gain` times as many.
    void share_chunks(int gain);
    // Lets one thread do all, with one share of the scratchpad.
    void give_up_threads();
    // Lets threads share rows only. When the scratchpad has been booked, this is for plans of forward, whose threads
    // then have nothing in common there.
    void give_up_chunks();

    bool operator==(const plan &) const = default;
};

// "rows:tiles,tile_rows:64,panel:768,batch:5,...", for the log.
std::string describe(const plan &p);

// ---- rules that the plans of both directions follow

// One thread is worth starting for so many bytes of elements of the compute type.
constexpr dim_t BYTES_PER_THREAD = 16 * 1024;

// Work of less than this many BYTES_PER_THREAD (256 KB) stays on one thread. It takes a few microseconds, of which a
// second thread would save at most one, because a parallel region takes one or two itself. But where the other core is
// busy, the region waits until the system has given that core back, which takes thousands of them. Threads that wait
// for the end of a region anyway (src/base/parallel.cpp) may each have little work.
constexpr dim_t LEAST_SHARED_WORK = 16;

// Threads that sleep while they wait take ten microseconds or more to wake: they need so many times as much work.
constexpr dim_t WORK_FOR_SLEEPERS = 8;

// How many threads are worth starting for so many bytes, at least one, and at most `shares`, the number of pieces that
// the work can be cut into. `of_thread` is for threads that are awake.
constexpr int threads_for(dim_t bytes, dim_t shares, bool threads_sleep, dim_t of_thread = BYTES_PER_THREAD) {
    if (threads_sleep) of_thread *= WORK_FOR_SLEEPERS;
    if (bytes < LEAST_SHARED_WORK * of_thread) return 1;
    return int(std::clamp<dim_t>(std::min(bytes / of_thread, shares), 1, 1 << 20));
}

// A batch in steps has about so many bytes, which stay in L2 beside the data. So has a tile of the values of groups of
// columns before they are quantized, unless one group has more. A row of sums with a residual that has more goes in
// pieces.
constexpr dim_t BATCH_BYTES = 64 * 1024;

// How many rows of `row_bytes` make a batch of about `batch_bytes`: at least 1, at most MAX_BATCH_ROWS.
constexpr dim_t batch_of(dim_t batch_bytes, dim_t row_bytes) {
    return std::clamp<dim_t>(batch_bytes / std::max<dim_t>(row_bytes, 1), 1, MAX_BATCH_ROWS);
}

} // namespace jitnorm::impl::layer_norm
