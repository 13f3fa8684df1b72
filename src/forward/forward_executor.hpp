// SPDX-License-Identifier: Apache-2.0
// forward_executor: forward on tensors whose rows lie dense in memory: rows to threads, threads to runs of evenly
// spaced rows.
#pragma once

#include "../core/parallel.hpp"
#include "../layout/row_space.hpp"
#include "forward_rows.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
class forward_executor final : public executor {
public:
    // shares_rows: whether executions have the scratchpad that sharing long rows between threads needs.
    forward_executor(const problem &p, std::shared_ptr<const forward_kernels<T>> kernels, bool shares_rows = true);

    jitnorm_status_t execute(const arguments &args) const override;

    // The moments of every chunk, where rows can be shared.
    static size_t scratchpad_bytes(const problem &p);

private:
    dense_rows<T> common_of(const arguments &args) const;
    tuning::plan plan_for(const arguments &args) const;
    bool goes_by_chunks(int parts) const { return shares_rows_ && C_ > CHUNK && parts > space_.rows(); }
    void move_to(dense_rows<T> &rows, const arguments &args, const row_space::run &run, dim_t first_row) const;
    void run_rows(const arguments &args, int parts) const;

    // A row's chunks first .. last-1.
    struct piece {
        dense_rows<T> row;
        dim_t number, first, last;
    };
    template <typename Body> // void(const piece &)
    void for_each_piece(const arguments &args, const dense_rows<T> &common, range chunks, Body &&body) const;
    void run_chunks(const arguments &args, int parts) const;
    void find_chunk_moments(const piece &p, moments<T> *found) const;
    void normalize_chunks(piece p, const moments<T> *found) const;

    forward_rows<T> kernels_;
    row_space space_;
    bool shares_rows_;
    bool computed_;                              // the statistics
    dim_t C_, src_size_, dst_size_, scale_size_; // sizes in bytes of an element
    dim_t dst_offset_;                           // bytes from the data handle of dst to its first element
    dim_t src_stride_, dst_stride_;              // from row to row of a run, in bytes
    dim_t statistics_size_, statistics_stride_;  // an element, and from row to row in elements
    bool dst_in_lines_;                          // every row of dst is whole cache lines from the first
    dim_t bytes_;                                // read and written
    int row_threads_, chunk_threads_;            // worth starting for rows, and for shared rows
    tuning::plan plan_;                          // before it is known where dst begins
};

} // namespace jitnorm::impl::layer_norm
