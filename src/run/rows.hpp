// SPDX-License-Identifier: Apache-2.0
// rows: the list of a problem's data tensors, and where kernels find their rows.
//
// A cursor of a row_source opens panels: some columns of the rows of a batch of all data tensors, as dense rows that
// are evenly spaced in memory. A worker hands them to kernels and then closes the panel. Tensors whose rows are dense
// are their own panels. The others have tiles, which are dense buffers in the thread's scratchpad: rows are gathered
// into them, and what is written there is scattered. The results have the bits of dense tensors.
//
// Each thread goes through rows with a cursor of its own, in batches of at most `most` rows that cover a range in
// order. In the body, the cursor's functions are about its batch:
//
//     row_source::cursor at(source, arguments, tiles);
//     at.for_each_batch(rows, most, [&](dim_t first, dim_t count) {
//         const statistics_rows statistics = at.open_statistics();
//         const panel here = at.open(columns);
//         ... here.src.row(r) ...
//         at.close();
//     });
//     at.finish(share, shares);
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "../norm/plan.hpp"
#include "../norm/problem.hpp"
#include "../tensor/row_order.hpp"
#include "../tensor/row_packer.hpp"

namespace jitnorm::impl::layer_norm {

// ---- the tensors

// The most data tensors of one direction, and the most with scale, shift and their gradients where each row has its
// own, which have no tiles.
constexpr int MAX_ROW_TENSORS = 5, MAX_STEPPED_TENSORS = MAX_ROW_TENSORS + 4;

// A copy that is made word by word, in registers. A load of both words at once would wait for the stores of each.
inline strip copy_of(const strip &s) { return {s.first, s.stride}; }

// Some columns of the rows of a batch in each data tensor. A tensor that the problem does not have is a null strip.
struct panel {
    strip src;
    strip second; // the second input: forward the residual, backward diff_dst
    strip sum;    // the sum with the residual, or its gradient
    strip result; // dst or diff_src
    strip pre_quantization;
    strip scale, shift, diff_scale, diff_shift; // where each row has its own
};

// A data tensor of the problem. Its rows are read, written or both.
struct row_tensor {
    slot argument = NO_SLOT;
    size_t field = 0;                // of a panel, counted from src
    const memory_desc *md = nullptr; // null: dense, with src's dimensions
    dim_t size = 0;                  // bytes of an element
    bool is_read = false, is_written = false;
};

// The data tensors of a problem, in the order of a panel's fields, and the statistics of the rows.
struct row_tensors {
    std::array<row_tensor, MAX_STEPPED_TENSORS> data;
    int count = 0;
    int result = 0; // the index of dst or diff_src; if there is neither, of the last input or sum
    int row_ndims = 1;
    const memory_desc *statistics = nullptr; // null where no statistic is read or written
    unsigned written_statistics = 0;         // a set of slots

    std::span<const row_tensor> all() const { return {data.data(), size_t(count)}; }
    const row_tensor &result_or_last() const { return data[size_t(result)]; }
};

// The result has pointers into p and must not outlive it.
row_tensors row_tensors_of(const problem &p);

// Whether the rows of each tensor are dense, so that kernels find them in place.
bool have_dense_rows(const row_tensors &tensors);

// Whether all rows are evenly spaced in each tensor.
bool are_evenly_spaced(const row_tensors &tensors);

// The tensor that decides in which order rows are visited, where any order is allowed: they are visited as they lie in
// this tensor. It is the first of these whose rows are not dense: src, result_or_last(), the others in their order. The
// rows of all are dense where only the statistics are blocked; then any tensor would do.
const memory_desc &leading_tensor(const row_tensors &tensors);

// Puts the rows of all tensors of a problem in the order in which they are visited, and returns the problem. Rows that
// are gathered are visited as those of leading_tensor() lie in memory. They keep their order if gradients of scale and
// shift are made of their sums, or if sums of rows are numbered in it. The elements stay where they are.
const problem &put_in_order_of_visits(problem &p, const plan &planned);

// The addresses of a batch's statistics, which have the type of the statistics tensors, and their stride in elements. A
// pointer is null if the problem does not have that tensor.
struct statistics_rows {
    std::array<void *, ROW_STATISTICS.size()> first = {};
    dim_t stride = 1;
    void *&operator[](slot s) { return first[size_t(s - ROW_STATISTICS.front())]; }
    void *operator[](slot s) const { return first[size_t(s - ROW_STATISTICS.front())]; }
};

// ---- stores past the caches

// Whether non-temporal stores may write the tensor, if it lies as they need it: its rows begin cache lines or are long,
// and an element is at least half as large as one of the compute type.
bool takes_non_temporal_stores(const problem &p, const memory_desc &md);
// Whether the result lies as they need it, in an execution whose result takes them.
bool result_lies_past_caches(const problem &p, const arguments &args);

// ---- tiles

// The tiles of the data tensors for panels of so many columns.
struct row_tiles {
    row_tiles(const problem &p, const row_tensors &tensors, dim_t columns);

    // Bytes from row to row of each tensor's tile; 0: it has no tile, because its rows are dense. If one tensor needs a
    // tile in backward, all of them have one.
    std::array<dim_t, MAX_ROW_TENSORS> pitch = {};
    bool last_has_tile_before = false; // the last tensor has the tile of the one before it
    dim_t row_bytes = 0;               // of a row, added up over all tiles
};

// How many rows fit into tiles that stay in L2 while their rows are gathered, worked on and scattered. They should have
// many rows, so that gathering uses each cache line of the tensor whole.
constexpr dim_t TILE_BYTES = 288 * 1024, MAX_TILE_ROWS = 256;
constexpr dim_t tile_rows_for(dim_t row_bytes) {
    return std::clamp<dim_t>(TILE_BYTES / std::max<dim_t>(row_bytes, 1), 1, MAX_TILE_ROWS);
}

// The units in which backward visits rows where they are interleaved. There may be none.
interleaved_blocks interleaved_blocks_of(const problem &p, const row_tensors &tensors);

// ---- the rows of an execution

class row_source {
    // Where the rows of a tensor are.
    struct row_positions {
        tensor_axis rows;
        dim_t offset0 = 0; // bytes
    };
    struct tensor : row_tensor, row_positions {
        dim_t pitch = 0;              // bytes from row to row of its tile; 0: it has none
        bool has_tile_before = false; // its tile is that of the tensor before it
    };

public:
    row_source(const problem &p, const plan &planned);

    // How many rows there are or, where they are interleaved, units. A cursor's ranges count the same.
    dim_t rows() const { return units_ ? units_->units() : data_[0].rows.size(); }
    // Where to cut the rows between two threads, at or before `row`: one thread has all rows that share cache lines of
    // the result, if that is scattered.
    dim_t cut_at(dim_t row) const;

    class cursor {
    public:
        cursor(const row_source &rows, const arguments &args, std::byte *tiles) : rows_(rows), args_(args) {
            if (!rows.in_place_) set_tiles(tiles);
        }

        // The rows of a batch are evenly spaced in every tensor without a tile and in the statistics. Interleaved rows
        // of a batch belong to one row block, and the batches of a row block come in its order.
        template <typename Body> // void(first row, number of rows)
        void for_each_batch(range which, dim_t most, Body &&body) {
            if (rows_.units_) return for_each_interleaved_batch(which, most, std::ref(body));
            for (dim_t row = which.begin; row < which.end; row += number_) {
                first_ = row;
                number_ = std::min(most, which.end - row);
                if (!rows_.in_place_) move_tiles(which.end, most);
                find_rows();
                body(first_, number_);
            }
        }
        // The caller promises that all rows before `row` will be opened with the same columns, in this call of
        // for_each_batch() or in the next ones. Only then, or if panels have whole rows, a tile takes several batches.
        void open_alike_until(dim_t row) { alike_until_ = row; }

        // Tiles gather these columns of all their rows, unless they have them already. Before that the other columns
        // that were written are scattered. Inline and without a loop, so that panels stay in registers: the load of a
        // strip would wait for the stores of its two words.
        [[gnu::always_inline]] panel open(range columns) {
            if (!rows_.in_place_) gather(columns);
            return {at(0, columns), at(1, columns), at(2, columns), at(3, columns), at(4, columns),
                    at(5, columns), at(6, columns), at(7, columns), at(8, columns)};
        }
        // Notes that the batch's rows have been written. Tiles are scattered when they are needed for other rows or
        // columns, or by finish().
        void close() {
            if (!rows_.in_place_) add_written();
        }

        statistics_rows open_statistics() const {
            statistics_rows found = {.stride = rows_.statistics_stride_};
            for (const slot s : ROW_STATISTICS) found[s] = after(args_[s], statistics_offset_);
            return found;
        }

        // Ends a thread's work: scatters the rest of the tiles and writes zeros to the thread's piece of the padding,
        // which tensors of dense rows do not have.
        void finish(int share, int shares) {
            if (!rows_.in_place_) scatter_and_pad(share, shares);
        }

    private:
        [[gnu::always_inline]] strip at(size_t field, range columns) const {
            return {batch_[field] + columns.begin * rows_.column_step_[field], strides_[field]};
        }
        // Finds the batch in the tensors in place, and cuts it to the rows that are evenly spaced in all of them.
        void find_rows() {
            for (const tensor &t : rows_.all())
                if (t.pitch == 0) place(t, static_cast<std::byte *>(args_[t.argument]) + run_of(t), t.rows.step());
            if (rows_.statistics_md_) statistics_offset_ = run_of(rows_.statistics_);
        }
        void place(const tensor &t, std::byte *first, dim_t stride) {
            batch_[t.field] = first;
            strides_[t.field] = stride;
        }
        dim_t run_of(const row_positions &t) {
            const auto [offset, count] = t.rows.run_from(first_, number_);
            number_ = count;
            return t.offset0 + offset;
        }

        // ---- tiles
        void set_tiles(std::byte *tiles);
        // Makes the tiles those of the batch's rows, and cuts the batch to the rows of a tile.
        void move_tiles(dim_t end, dim_t most);
        void gather(range columns);
        void add_written();
        void scatter_written();
        void scatter_and_pad(int share, int shares);
        // The batch's rows begin at the row `first` of the tiles; from each to the next one there are `step` rows.
        void place_in_tiles(dim_t first, dim_t step);
        // Copies these columns of so many rows from `first` on between the tensors and the tiles, from row `in_tile` on
        // there.
        void gather_rows(dim_t first, dim_t rows, range columns, dim_t in_tile) const;
        void scatter_rows(dim_t first, dim_t rows, range columns, dim_t in_tile) const;
        void for_each_interleaved_batch(range units, dim_t most, const std::function<void(dim_t, dim_t)> &body);

        const row_source &rows_;
        const arguments &args_;
        // The batch's rows, by field. Two arrays, since the load of a strip would wait for the stores of its words.
        std::array<std::byte *, MAX_STEPPED_TENSORS> batch_ = {};
        std::array<dim_t, MAX_STEPPED_TENSORS> strides_ = {};
        dim_t statistics_offset_ = 0;  // from the data handle to the batch's first statistic, in bytes
        dim_t first_ = 0, number_ = 0; // the batch: its first row and its number of rows
        std::array<std::byte *, MAX_ROW_TENSORS> tiles_; // by field
        range tiled_ = {0, 0};                           // the rows that the tiles are for
        range gathered_ = {0, 0};                        // the columns of these rows that the tiles have
        range written_ = {0, 0};                         // the rows that are still to be scattered
        dim_t alike_until_ = 0;
    };

private:
    void make_tiles(const problem &p, const plan &planned, const row_tensors &tensors);
    std::span<const tensor> all() const { return {data_.data(), count_}; }
    const row_packer &packer_of(const tensor &t) const { return *packers_[size_t(&t - data_.data())]; }
    // The first tensor that has a tile decides how many rows a tile takes.
    const row_packer &leading() const;

    bool in_place_;    // whether there are no tiles
    size_t count_ = 0; // of data tensors
    std::array<tensor, MAX_STEPPED_TENSORS> data_ = {};
    std::array<dim_t, MAX_STEPPED_TENSORS> column_step_ = {}; // by field: bytes of an element; 0: it has a tile
    const memory_desc *statistics_md_ = nullptr;              // null: no statistic is read or written
    row_positions statistics_;
    dim_t statistics_stride_ = 1; // elements from row to row

    // Where there are tiles:
    std::array<std::optional<row_packer>, MAX_ROW_TENSORS> packers_; // of all data tensors
    std::optional<interleaved_blocks> units_;                        // empty: rows come in the order of their numbers
    size_t result_ = 0;                                              // the index of the result
    unsigned written_statistics_ = 0;                                // a set of slots
    dim_t tile_rows_ = 0;
    bool whole_rows_ = false; // whether every panel has whole rows
};

} // namespace jitnorm::impl::layer_norm
