// SPDX-License-Identifier: Apache-2.0
// row_tensors: what both directions say of their tensors, and how they get at the rows.
//
// A row source (rows_in_place.hpp, rows_in_tiles.hpp, rows_interleaved.hpp) shows some columns of a few consecutive
// rows of all data tensors as evenly spaced dense memory: it opens a panel of them, and closes it when what is to be
// written has been written there. Each thread goes through rows with a cursor of its own:
//
//     cursor at(source, arguments, tiles);
//     at.for_each_batch(rows, most, same_columns_until, [&](dim_t first, dim_t count) {
//         const statistics_rows statistics = at.open_statistics();
//         const panel read = at.open_to_read({0, count}, columns); // rows of the batch, columns of the rows
//         const panel here = at.open({0, count}, columns);
//         ... here[0].first + r * here[0].stride ...
//         at.close({0, count}, columns);
//         at.close_statistics();
//     });
//     at.finish(share, shares);
#pragma once

#include <array>
#include <initializer_list>

#include "../core/arguments.hpp"
#include "../core/plan.hpp"
#include "../core/problem.hpp"
#include "../system/parallel.hpp"

namespace jitnorm::impl::layer_norm {

// A data tensor of the problem: rows of it are read, written or both.
struct row_tensor {
    slot place = NO_SLOT;
    const memory_desc *md = nullptr;
    bool is_read = false, is_written = false;
};

// The data tensors of one direction, in the order in which panels have them, and the statistics of the rows.
struct row_tensors {
    std::array<row_tensor, MAX_ROW_TENSORS> data;
    int count = 0;
    int result = 0; // which of them is dst or the last of backward's: unquantized rows come behind it
    int row_ndims = 1;
    const memory_desc *statistics = nullptr; // null where no statistic is read or written
    bool reads_mean = false, reads_variance = false, writes_mean = false, writes_variance = false;

    const row_tensor &last() const { return data[size_t(result)]; }
};

// src and dst forward, between them what there is of residual and sum, behind them unquantized rows; src, diff_dst and,
// unless it is left out, diff_src backward, before it the sum's gradient if there is one. Keeps pointers into the
// problem.
row_tensors row_tensors_of(const problem &p);

// The tensor whose rows are best visited as they lie in memory, if they may: the first, the last or another one, if its
// rows are not dense, else the second.
const memory_desc &leading_tensor(const row_tensors &tensors);

// Rows of one tensor, evenly spaced in memory: the first one's first element, and bytes from row to row.
struct strip {
    std::byte *first;
    dim_t stride;
    std::byte *row(dim_t number) const { return first + number * stride; }
};
using panel = std::array<strip, MAX_ROW_TENSORS>;

// The tiles of a thread, one behind the other in its scratchpad.
panel tiles_in(std::byte *scratchpad, int tensors, const plan &how);

// Where the mean and the variance of a batch's rows are: of the tensor's type, `stride` elements apart. Null where the
// problem has none.
struct statistics_rows {
    void *mean = nullptr, *variance = nullptr;
    dim_t stride = 1;
};

// Zeros the padding of all that is written: `share` of `shares` of it.
void zero_padding(const row_tensors &tensors, const arguments &args, int share, int shares);

// Whether stores past the caches can write the tensor if its first element lies at a cache line: rows are whole lines,
// and elements have at least half the size of the compute type's.
bool takes_non_temporal_stores(const problem &p, const memory_desc &md);

// Whether an execution's stores to the tensor may go past the caches: its first element lies at a cache line, and it is
// not in the place of an input, whose lines have been read: then there is nothing to go past.
bool lies_past_caches(const memory_desc &md, const arguments &args, slot written, std::initializer_list<slot> inputs);

// Some bytes on from where a tensor is; null stays null.
inline const std::byte *behind(const void *first, dim_t bytes) {
    return first == nullptr ? nullptr : static_cast<const std::byte *>(first) + bytes;
}

inline dim_t element_size(const memory_desc &md) { return dim_t(size_of(md.data_type)); }

} // namespace jitnorm::impl::layer_norm
