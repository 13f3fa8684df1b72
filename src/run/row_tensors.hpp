// SPDX-License-Identifier: Apache-2.0
// row_tensors: the list of a problem's data tensors, and the types by which the driver reaches their rows.
//
// A row source (rows_in_place.hpp, rows_in_tiles.hpp, rows_interleaved.hpp) opens panels: some columns of the rows of a
// batch of all data tensors, as dense rows that are evenly spaced in memory. The driver reads and writes the rows there
// and then closes the panel. Each thread goes through rows with a cursor of its own:
//
//     cursor at(source, arguments, tiles);
//     at.for_each_batch(rows, most, same_columns_until, [&](dim_t first, dim_t count) {
//         const statistics_rows statistics = at.open_statistics();
//         const panel here = at.open(columns);
//         ... here.src.row(r) ...
//         at.close();
//         at.close_statistics();
//     });
//     at.finish(share, shares);
#pragma once

#include <array>

#include "../base/parallel.hpp"
#include "../norm/executor.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"
#include "../tensor/strided_copy.hpp"

namespace jitnorm::impl::layer_norm {

// Rows of one tensor, evenly spaced in memory: the first element of the first row, and the bytes from row to row.
struct strip {
    std::byte *first = nullptr;
    dim_t stride = 0;
    std::byte *row(dim_t number) const { return first + number * stride; }
};

// The most tensors whose rows a direction steps through: data tensors and, in place only, scale and shift where each
// row has its own, and their gradients.
constexpr int MAX_STEPPED_TENSORS = MAX_ROW_TENSORS + 4;

// Some columns of the rows of a batch in each data tensor. A tensor that the problem does not have is a null strip.
struct panel {
    strip src;
    strip second; // the second input: forward the residual, backward diff_dst
    strip sum;    // the sum with the residual, or its gradient
    strip result; // dst or diff_src
    strip pre_quantization;
    strip scale, shift, diff_scale, diff_shift; // where each row has its own
};

constexpr std::array<strip panel::*, MAX_STEPPED_TENSORS> PANEL_FIELDS = {
    &panel::src,   &panel::second, &panel::sum,        &panel::result,    &panel::pre_quantization,
    &panel::scale, &panel::shift,  &panel::diff_scale, &panel::diff_shift};

// A data tensor of the problem. Its rows are read, written or both.
struct row_tensor {
    slot place = NO_SLOT;
    size_t field = 0; // of PANEL_FIELDS
    strip &of(panel &here) const { return here.*PANEL_FIELDS[field]; }
    const strip &of(const panel &here) const { return here.*PANEL_FIELDS[field]; }
    const memory_desc *md = nullptr; // null: dense, with src's dimensions
    dim_t size = 0;                  // bytes of an element
    bool is_read = false, is_written = false;
};

// The data tensors of a problem, in the order of a panel's fields, and the statistics of the rows.
struct row_tensors {
    std::array<row_tensor, MAX_STEPPED_TENSORS> data;
    int count = 0;
    int result = 0; // the index of dst (forward) or of the last tensor (backward)
    int row_ndims = 1;
    const memory_desc *statistics = nullptr;              // null where no statistic is read or written
    unsigned read_statistics = 0, written_statistics = 0; // sets of slots

    const row_tensor &last() const { return data[size_t(result)]; }
};

// The result has pointers into p and must not outlive it.
row_tensors row_tensors_of(const problem &p);

// The tensor that decides in which order rows are visited, where any order is allowed: they are visited as they lie in
// this tensor. It is the first of these whose rows are not dense: src, last(), the others in their order. If the rows
// of all are dense, it is the second tensor.
const memory_desc &leading_tensor(const row_tensors &tensors);

// The tiles of a thread, which lie one behind the other from `scratchpad` on. Tensors without a tile have null strips.
panel tiles_in(std::byte *scratchpad, const row_tensors &tensors, const plan &planned);

// Where the statistics of a batch's rows are. They have the type of the statistics tensors and are `stride` elements
// apart. A pointer is null if the problem does not have that tensor.
struct statistics_rows {
    std::array<void *, ROW_STATISTICS.size()> first = {};
    dim_t stride = 1;
    void *&operator[](slot s) { return first[size_t(s - ROW_STATISTICS.front())]; }
    void *operator[](slot s) const { return first[size_t(s - ROW_STATISTICS.front())]; }
};

// Writes zeros to the padding of all tensors that are outputs. The padding is cut into `shares` pieces; this call does
// the piece `share`.
void zero_padding(const row_tensors &tensors, const arguments &args, int share, int shares);

// Whether non-temporal stores may write the tensor, if it lies as they need it: its rows begin cache lines or are long,
// and an element is at least half as large as one of the compute type.
bool takes_non_temporal_stores(const problem &p, const memory_desc &md);

// Whether an execution may store dst or diff_src past the caches: its first element begins a cache line or, if rows are
// long, is aligned to its size; and it is not in the place of an input, whose lines have been read and are in a cache.
bool result_lies_past_caches(const problem &p, const arguments &args);

// How many bytes ahead of an element these rows are prefetched: about `ahead`. In one loop with 512, rows of 128
// elements of f32 take 3 to 5 % longer; with 4096 nothing is faster in both directions. Where rows have gaps between
// them, the elements so many bytes ahead may be others than those that come next: then the same columns of a later row
// are prefetched, unless rows are so long that it would be far ahead.
constexpr dim_t AHEAD_IN_LOOP = 2048, AHEAD_OF_BAND = 16 * 1024;
inline dim_t prefetch_distance(const strip &rows, dim_t row_bytes, dim_t ahead = AHEAD_IN_LOOP) {
    if (rows.stride == row_bytes || row_bytes >= 4 * ahead) return ahead;
    return (row_bytes < ahead ? ahead / row_bytes : 1) * rows.stride;
}

// From which distance on the columns of tensors that have tiles are prefetched.
inline dim_t far_apart_in_tiles(const plan &planned) {
    return planned.prefetch_to_l2 ? FAR_APART_IN_MEMORY : FAR_APART;
}

// The address `bytes` after `first`; null stays null.
inline std::byte *behind(void *first, dim_t bytes) {
    return first == nullptr ? nullptr : static_cast<std::byte *>(first) + bytes;
}
inline const std::byte *behind(const void *first, dim_t bytes) { return behind(const_cast<void *>(first), bytes); }

} // namespace jitnorm::impl::layer_norm
