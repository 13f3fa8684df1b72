// SPDX-License-Identifier: Apache-2.0
// backward_executor: work to threads, rows to kernels, sums to gradients. Rows come from a row source: rows_in_place,
// rows_in_tiles or rows_in_lanes.
#pragma once

#include "../core/executor.hpp"
#include "../layout/rows_in_lanes.hpp"
#include "../layout/rows_in_place.hpp"
#include "../layout/rows_in_tiles.hpp"
#include "backward_batches.hpp"
#include "backward_work.hpp"
#include "gradient_sums.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T, typename Rows> // T is the compute type
class backward_executor final : public executor {
public:
    backward_executor(const problem &p, const plan &how, std::shared_ptr<const backward_kernels<T>> kernels);

    jitnorm_status_t execute(const arguments &args) const override;

private:
    using cursor = typename Rows::cursor;
    using batch = backward_batch<T>;

    // One thread's share of an execution.
    struct share_of_work {
        const arguments &args;
        const walk &how;
        cursor &at;
        std::byte *own;           // scratchpad
        dim_t same_columns_until; // rows up to which others may be gathered with those of a batch
    };
    template <typename Body> // void(share_of_work &, range items)
    void share_out(const arguments &args, const walk &how, dim_t items, bool writes, Body &&body) const;
    template <typename Body> // void(batch &, first row)
    void for_each_batch(share_of_work &work, range items, Body &&body) const;

    bool has_outputs() const { return problem_.wants_diff_src() || work_.gradients() > 0; }
    bool stores_begin_at_line(const arguments &args) const;
    std::byte *common(const arguments &args) const { return plan_.scratchpad.common(args[SCRATCHPAD]); }

    // ---- by rows
    bool sums_are_gradients() const;
    void run_one_block(const arguments &args, const walk &how) const;
    void run_by_rows(const arguments &args, const walk &how) const;
    void run_rows(share_of_work &work, range rows, const column_sums<T> &to) const;
    void run_batch(share_of_work &work, batch &b, range rows, const column_sums<T> &to) const;
    dim_t end_of(range parts) const;
    void run_parts(share_of_work &work, range parts) const;
    void run_part(share_of_work &work, dim_t part, const double *start, double *sums) const;
    void run_by_units(const arguments &args, const walk &how) const;
    void run_units(share_of_work &work, range units) const;
    void add_blocks(const arguments &args, dim_t part) const;
    void finish_parts(const arguments &args, dim_t added) const;

    // ---- by chunks
    void run_by_chunks(const arguments &args, const walk &how) const;
    void sum_chunk(share_of_work &work, dim_t chunk) const;
    void sum_chunk_of_rows(share_of_work &work, dim_t chunk, range rows, const column_sums<T> &to) const;
    void write_chunks(share_of_work &work, range chunks) const;
    void take_sums(const arguments &args, batch &b, dim_t first_row) const;

    // ---- some columns of a batch's rows
    void sum(share_of_work &work, const batch &b, range rows, range columns, const column_sums<T> &to, T *s1,
             T *s2) const;
    void write(share_of_work &work, const batch &b, range rows, range columns) const;

    problem problem_;
    plan plan_;
    Rows rows_;
    backward_work work_;
    backward_batches<T> batches_;
    gradient_sums<T> gradients_;
};

} // namespace jitnorm::impl::layer_norm
