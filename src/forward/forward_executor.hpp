// SPDX-License-Identifier: Apache-2.0
// forward_executor: the executor of forward. It shares the work among threads and takes each thread's rows batch by
// batch through forward_batches. Rows come from a row source: rows_in_place or rows_in_tiles, or rows_with_sums around
// one of them.
#pragma once

#include "../norm/executor.hpp"
#include "forward_batches.hpp"
#include "panel_places.hpp"
#include "quantizer.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T, typename Rows> // T is the compute type
class forward_executor final : public executor {
public:
    // The problem's rows must be in the order in which they are to be visited (in_order_of_memory()).
    forward_executor(const problem &p, const plan &how, std::shared_ptr<const forward_kernels<T>> kernels);

    jitnorm_status_t execute(const arguments &args) const override;

    // How an execution with these arguments goes through the rows.
    walk walk_of(const arguments &args) const;

private:
    using cursor = typename Rows::cursor;

    // A constant where rows are no sums: a panel whose address is taken costs 10 ns a call.
    static const strip *terms_of(const panel &here) {
        if constexpr (requires(const Rows &rows) { rows.reduces(); }) return &here[TERMS];
        return nullptr;
    }

    template <typename Body> // void(cursor &, const forward_inputs<T> &, range items)
    void share_out(const arguments &args, const walk &how, dim_t items, Body &&body) const;
    template <typename Body> // void(range columns)
    void for_each_panel(range columns, Body &&body) const;

    // ---- by rows
    void run_by_rows(const arguments &args, const walk &how) const;
    [[gnu::always_inline]] void find_statistics(cursor &at, row_batch<T> &batch) const;
    [[gnu::always_inline]] void find_statistics_at_once(cursor &at, row_batch<T> &batch) const;
    [[gnu::noinline]] void find_long_statistics(cursor &at, row_batch<T> &batch) const;
    [[gnu::always_inline]] void normalize(cursor &at, const forward_inputs<T> &inputs, const row_batch<T> &batch,
                                          dim_t first_row, range columns) const;
    [[gnu::noinline]] void quantize(cursor &at, const forward_inputs<T> &inputs, const row_batch<T> &batch,
                                    dim_t first_row) const;

    // ---- by chunks
    dim_t chunks() const { return (C_ + CHUNK - 1) / CHUNK; } // of a row
    template <typename Body>                                  // void(row, range of the row's chunks)
    void for_each_row(range items, Body &&body) const;
    void run_by_chunks(const arguments &args, const walk &how) const;
    void find_moments(cursor &at, range chunks_of_row, moments<T> *found) const;
    void take_statistics(cursor &at, const moments<T> *found, bool writes, row_batch<T> &batch) const;

    problem problem_;
    plan plan_;
    Rows rows_;
    forward_batches<T> batches_;
    std::optional<quantizer> quantizer_; // where scales are found
    dim_t C_;
    bool given_; // whether statistics are inputs
};

} // namespace jitnorm::impl::layer_norm
