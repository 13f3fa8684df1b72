// SPDX-License-Identifier: Apache-2.0
// rows: the list of a problem's data tensors, and where kernels find their rows.
//
// A row source (rows_in_place below; tiles.hpp) opens panels: some columns of the rows of a batch of all data tensors,
// as dense rows that are evenly spaced in memory. A worker hands them to kernels and then closes the panel.
// Each thread goes through rows with a cursor of its own, in batches of at most `most` rows that cover a range in
// order. What the body calls means its batch:
//
//     cursor at(source, arguments, tiles);
//     at.for_each_batch(rows, most, [&](dim_t first, dim_t count) {
//         const statistics_rows statistics = at.open_statistics();
//         const panel here = at.open(columns);
//         ... here.src.row(r) ...
//         at.close();
//     });
//     at.finish(share, shares);
#pragma once

#include <array>

#include "../base/parallel.hpp"
#include "../norm/executor.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"
#include "../tensor/tensor_axis.hpp"

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

constexpr std::array<strip panel::*, MAX_STEPPED_TENSORS> PANEL_FIELDS = {
    &panel::src,   &panel::second, &panel::sum,        &panel::result,    &panel::pre_quantization,
    &panel::scale, &panel::shift,  &panel::diff_scale, &panel::diff_shift};

// A data tensor of the problem. Its rows are read, written or both.
struct row_tensor {
    slot argument = NO_SLOT;
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
    int result = 0; // the index of dst or diff_src; if there is neither, of the last tensor
    int row_ndims = 1;
    const memory_desc *statistics = nullptr; // null where no statistic is read or written
    unsigned written_statistics = 0;         // a set of slots

    std::span<const row_tensor> all() const { return {data.data(), size_t(count)}; }
    const row_tensor &result_or_last() const { return data[size_t(result)]; }
};

// The result has pointers into p and must not outlive it.
row_tensors row_tensors_of(const problem &p);

// Whether all rows are evenly spaced in each tensor.
bool are_evenly_spaced(const row_tensors &tensors);

// The tensor that decides in which order rows are visited, where any order is allowed: they are visited as they lie in
// this tensor. It is the first of these whose rows are not dense: src, result_or_last(), the others in their order. If
// the rows of all are dense, it is the second tensor.
const memory_desc &leading_tensor(const row_tensors &tensors);

// The addresses of a batch's statistics, which have the type of the statistics tensors, and their stride in elements. A
// pointer is null if the problem does not have that tensor.
struct statistics_rows {
    std::array<void *, ROW_STATISTICS.size()> first = {};
    dim_t stride = 1;
    void *&operator[](slot s) { return first[size_t(s - ROW_STATISTICS.front())]; }
    void *operator[](slot s) const { return first[size_t(s - ROW_STATISTICS.front())]; }
};

// `offset` is from the data handles to the first statistics, in bytes.
inline statistics_rows statistics_at(const arguments &args, dim_t offset, dim_t stride) {
    statistics_rows found = {.stride = stride};
    for (const slot s : ROW_STATISTICS) found[s] = after(args[s], offset);
    return found;
}

// ---- how rows are read and written

// Whether non-temporal stores may write the tensor, if it lies as they need it: its rows begin cache lines or are long,
// and an element is at least half as large as one of the compute type.
bool takes_non_temporal_stores(const problem &p, const memory_desc &md);
// Whether the result lies as they need it, in an execution whose result takes them.
bool result_lies_past_caches(const problem &p, const arguments &args);

// The bytes of rows, in backward of src and diff_dst, that one kernel reduces before it writes them: they stay in L1
// beside the rows that it writes. Also, unrelated: how far ahead forward's prefetches are while it writes rows one by
// one.
constexpr dim_t BAND_BYTES = 16 * 1024;

// How many bytes ahead of an element these rows are prefetched: about `ahead`. In one loop with 512, rows of 128
// elements of f32 take 3 to 5 % longer; with 4096 nothing is faster in both directions. Where rows have gaps, the bytes
// ahead may not be the next elements: then the same columns of a later row are prefetched, unless rows are so long that
// the distance would be much more than `ahead`.
constexpr dim_t AHEAD_IN_LOOP = 2048;
inline dim_t prefetch_distance(const strip &rows, dim_t row_bytes, dim_t ahead = AHEAD_IN_LOOP) {
    if (rows.stride == row_bytes || row_bytes >= 4 * ahead) return ahead;
    return (row_bytes < ahead ? ahead / row_bytes : 1) * rows.stride;
}

// ---- rows that are dense in all tensors. Panels are the tensors' own memory.

class rows_in_place {
public:
    // Whether the rows of a batch stay where they are while the cursor goes on to the next batch.
    static constexpr bool ROWS_STAY = true;

    // Whether this row source can serve these tensors.
    static bool take(const row_tensors &tensors);

    rows_in_place(const problem &p, const plan &);

    dim_t rows() const { return data_[0].rows.size(); }
    // Where to cut the rows between two threads, at or before `row`.
    dim_t cut_at(dim_t row) const { return row; }

    class cursor {
    public:
        cursor(const rows_in_place &rows, const arguments &args, std::byte * /* no tiles */)
            : rows_(rows), args_(args) {}

        template <typename Body>
        void for_each_batch(range which, dim_t most, Body &&body) {
            for (dim_t row = which.begin; row < which.end;) {
                const dim_t number = move_to(row, std::min(most, which.end - row));
                body(row, number);
                row += number;
            }
        }

        // Inline and without a loop, so that panels stay in registers: the load of a strip would wait for the stores of
        // its two words.
        [[gnu::always_inline]] panel open(range columns) const {
            return {at(0, columns), at(1, columns), at(2, columns), at(3, columns), at(4, columns),
                    at(5, columns), at(6, columns), at(7, columns), at(8, columns)};
        }
        void close() const {}
        void open_alike_until(dim_t) const {} // matters only to tiles

        statistics_rows open_statistics() const {
            return statistics_at(args_, statistics_offset_, rows_.statistics_stride_);
        }

        void finish(int, int) const {} // tensors of dense rows have no padding

    private:
        [[gnu::always_inline]] strip at(size_t field, range columns) const {
            return {batch_[field] + columns.begin * rows_.data_[field].size, rows_.data_[field].stride};
        }
        // Returns the number of rows of the batch, at most `most`: those that are evenly spaced in all tensors.
        dim_t move_to(dim_t row, dim_t most) {
            for (size_t i = 0; i < rows_.count_; ++i) {
                const size_t field = rows_.fields_[i];
                const tensor &t = rows_.data_[field];
                const auto [offset, number] = t.rows.run_from(row, most);
                batch_[field] = static_cast<std::byte *>(args_[t.argument]) + t.offset0 + offset;
                most = number;
            }
            if (!rows_.has_statistics_) return most;
            const auto [offset, number] = rows_.statistics_.rows.run_from(row, most);
            statistics_offset_ = rows_.statistics_.offset0 + offset;
            return number;
        }

        const rows_in_place &rows_;
        const arguments &args_;
        std::array<std::byte *, MAX_STEPPED_TENSORS> batch_ = {}; // the first row of the batch, by field
        dim_t statistics_offset_ = 0; // from the data handle to the batch's first statistic, in bytes
    };

private:
    struct tensor {
        slot argument = NO_SLOT;
        dim_t size = 0, stride = 0; // bytes of an element, bytes from row to row of a run
        dim_t offset0 = 0;          // bytes
        tensor_axis rows;
    };

    size_t count_ = 0;                                    // of data tensors
    std::array<size_t, MAX_STEPPED_TENSORS> fields_ = {}; // of the data tensors in a panel
    std::array<tensor, MAX_STEPPED_TENSORS> data_ = {};   // by field; those that there are not have sizes of 0
    bool has_statistics_ = false;                         // whether a statistic is read or written
    tensor statistics_;
    dim_t statistics_stride_ = 1; // elements from row to row
};

} // namespace jitnorm::impl::layer_norm
