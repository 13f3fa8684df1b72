// SPDX-License-Identifier: Apache-2.0
// backward_dense_rows: the rows of tensors in which every row lies dense: kernels work where the rows are.
#pragma once

#include <cstddef>

#include "../core/executor.hpp"
#include "../core/problem.hpp"
#include "../layout/row_space.hpp"
#include "backward_batch.hpp"

namespace jitnorm::impl::layer_norm {

// Some columns of some rows, evenly spaced in memory. Strides in bytes.
struct backward_panel {
    const std::byte *src, *diff_dst;
    std::byte *diff_src;
    dim_t src_stride, diff_dst_stride, diff_src_stride;
};

class backward_dense_rows {
public:
    explicit backward_dense_rows(const problem &p);

    static bool takes(const problem &p);
    static dim_t buffer_bytes(const problem &) { return 0; }
    dim_t rows() const { return space_.rows(); }
    // Where to cut rows between threads.
    dim_t cut_at(dim_t row) const { return row; }
    // How many rows go through the kernels together, by the plan.
    dim_t together(const tuning::backward_plan &plan) const { return plan.batch_rows; }
    // Columns of a panel at the most, once the sums are known.
    dim_t data_columns() const { return columns_; }
    // Whether every row of diff_src begins at a whole cache line.
    bool has_rows_in_lines(const void *diff_src) const;

    static bool goes_by_units(const problem &) { return false; }
    dim_t units() const { return 0; }
    static bool prefers_chunks(const problem &) { return false; }

    // What one thread is at.
    class session {
    public:
        session(const backward_dense_rows &rows, const arguments &args, std::byte * /* no buffer */, dim_t)
            : rows_(rows), args_(args) {}

        // Calls body(first row, number) for batches that cover the rows; what follows is about the batch it is at.
        template <typename Body>
        void for_each_batch(range which, Body &&body) {
            dim_t row = which.begin;
            rows_.space_.for_each_run(which.begin, which.end, [&](const row_space::run &run) {
                for (dim_t i = 0; i < run.count; i += tuning::MAX_BATCH_ROWS) {
                    const dim_t count = std::min(tuning::MAX_BATCH_ROWS, run.count - i);
                    move_to(run, i);
                    body(row, count);
                    row += count;
                }
            });
        }

        template <typename Body>
        void for_each_batch_of_unit(dim_t, Body &&) {} // there are none

        template <typename T>
        void read_statistics(backward_batch<T> &batch, const problem &p) const {
            batch.read_statistics(p, mean_, variance_, rows_.statistics_stride_);
        }

        // `first` counts the rows of the batch.
        backward_panel open(dim_t first, dim_t /* number */, dim_t begin, dim_t /* columns */) const {
            backward_panel panel = first_;
            panel.src += first * panel.src_stride + begin * rows_.src_size_;
            panel.diff_dst += first * panel.diff_dst_stride + begin * rows_.diff_dst_size_;
            if (panel.diff_src != nullptr) // else it is left out
                panel.diff_src += first * panel.diff_src_stride + begin * rows_.diff_src_size_;
            return panel;
        }
        void close(dim_t, dim_t, dim_t, dim_t) const {} // the same arguments: diff_src has been written

    private:
        void move_to(const row_space::run &run, dim_t row);

        const backward_dense_rows &rows_;
        const arguments &args_;
        backward_panel first_ = {};
        const std::byte *mean_ = nullptr, *variance_ = nullptr;
    };

private:
    row_space space_;
    dim_t columns_, src_size_, diff_dst_size_, diff_src_size_; // sizes in bytes of an element
    dim_t src_stride_, diff_dst_stride_, diff_src_stride_;     // from row to row of a run, in bytes
    dim_t statistics_size_, statistics_stride_;                // an element in bytes, and from row to row in elements
    dim_t diff_src_offset_;                                    // bytes from the data handle to the first element
    bool in_lines_;                                            // rows of diff_src are whole cache lines apart
};

} // namespace jitnorm::impl::layer_norm
