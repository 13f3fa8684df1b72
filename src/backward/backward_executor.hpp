// SPDX-License-Identifier: Apache-2.0
// backward_executor: the executor of backward for rows_in_place and rows_in_tiles. It shares the work among threads,
// takes each thread's rows batch by batch through the kernels, and adds up the gradients.
#pragma once

#include "../layout/rows_in_place.hpp"
#include "../layout/rows_in_tiles.hpp"
#include "../norm/executor.hpp"
#include "backward_share.hpp"
#include "gradient_sums.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T, typename Rows> // T is the compute type
class backward_executor final : public executor {
public:
    // The problem's rows must be in the order in which they are to be visited.
    backward_executor(const problem &p, const plan &how, std::shared_ptr<const backward_kernels<T>> kernels);

    jitnorm_status_t execute(const arguments &args) const override;

    // How an execution with these arguments goes through the rows.
    walk walk_of(const arguments &args) const;

private:
    using share = backward_share<T, Rows>;
    using batch = backward_batch<T>;

    template <typename Body> // void(share &, range items)
    void share_out(const arguments &args, const walk &how, dim_t items, Body &&body) const;

    // ---- by rows
    bool sums_are_gradients() const;
    void run_one_block(const arguments &args, const walk &how) const;
    void run_by_rows(const arguments &args, const walk &how) const;
    void run_rows(share &mine, range rows, const column_sums<T> &to) const;
    dim_t end_of(range parts) const;
    void run_parts(share &mine, range parts) const;
    void run_part(share &mine, dim_t part, const double *start, double *sums) const;

    // ---- by chunks
    void run_by_chunks(const arguments &args, const walk &how) const;
    void sum_chunk(const arguments &args, share &mine, dim_t chunk) const;
    void sum_chunk_of_rows(share &mine, dim_t chunk, range rows, const column_sums<T> &to) const;
    void write_chunks(share &mine, range chunks) const;
    void take_sums(std::byte *common, batch &b, dim_t first_row) const;

    backward_parts<T> parts_;
    const backward_work &work_;
    Rows rows_;
    gradient_sums<T> gradients_;
};

} // namespace jitnorm::impl::layer_norm
