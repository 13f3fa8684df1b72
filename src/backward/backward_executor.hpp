// SPDX-License-Identifier: Apache-2.0
// backward_executor: backward on rows that are dense in memory (Rows = backward_dense_rows) or made so
// (backward_packed_rows): work to threads, rows to kernels, sums to gradients.
#pragma once

#include <memory>

#include "backward_dense_rows.hpp"
#include "backward_kernels.hpp"
#include "backward_packed_rows.hpp"
#include "backward_work.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T, typename Rows> // T is the compute type
class backward_executor final : public executor {
public:
    backward_executor(const problem &p, std::shared_ptr<const backward_kernels<T>> kernels);

    jitnorm_status_t execute(const arguments &args) const override;

    static size_t scratchpad_bytes(const problem &p);

private:
    using session = typename Rows::session;
    using batch = backward_batch<T>;

    // Where the sums over columns of the block at hand go; null: not wanted.
    struct column_sums {
        T *scale, *shift;
        column_sums behind(dim_t columns) const {
            return {scale ? scale + columns : nullptr, shift ? shift + columns : nullptr};
        }
    };
    column_sums column_sums_in(T *sums, dim_t pitch) const;

    static backward_work work_of(const problem &p) {
        return {p, Rows::buffer_bytes(p), Rows::goes_by_units(p), Rows::prefers_chunks(p)};
    }
    bool has_outputs() const { return problem_.wants_diff_src() || work_.gradients() > 0; }
    void zero_gradients(const arguments &args) const;
    tuning::backward_plan plan_for(const arguments &args, int threads) const;

    // ---- by rows
    bool sums_are_gradients() const;
    void run_one_block(const arguments &args) const;
    void run_by_rows(const arguments &args, int threads) const;
    void run_rows(const arguments &args, const tuning::backward_plan &plan, session &at, range rows,
                  const column_sums &to) const;
    void run_together(const arguments &args, const tuning::backward_plan &plan, session &at, batch &b, range rows,
                      const column_sums &to) const;
    dim_t rows_to_read(dim_t end) const;
    dim_t end_of(range parts) const;
    void run_parts(const arguments &args, const tuning::backward_plan &plan, int share, range parts) const;
    void run_part(const arguments &args, const tuning::backward_plan &plan, session &at, int share, dim_t part,
                  const double *start, double *sums) const;
    void finish_parts(const arguments &args, dim_t added) const;
    void run_by_units(const arguments &args, int threads) const;
    void run_units(const arguments &args, const tuning::backward_plan &plan, int share, range units) const;
    void add_blocks(const arguments &args, dim_t part) const;

    // ---- by chunks
    void run_by_chunks(const arguments &args, int threads) const;
    void sum_chunk(const arguments &args, session &at, int share, dim_t chunk) const;
    void sum_chunk_of_rows(const arguments &args, session &at, dim_t chunk, range rows, const column_sums &to) const;
    void write_chunks(const arguments &args, const tuning::backward_plan &plan, session &at, range chunks) const;
    void gather_sums(const arguments &args, batch &b, dim_t first_row) const;

    // ---- some columns of a batch's rows
    void sum(const arguments &args, session &at, const batch &b, range rows, range columns, const column_sums &to,
             T *s1, T *s2) const;
    void write(const arguments &args, const tuning::backward_plan &plan, session &at, const batch &b, range rows,
               range columns) const;

    // ---- sums over columns
    static void add(const jit::backward_weights_kernel &kernel, const double *start, const void *sums, double *to,
                    dim_t count);
    // `start` and `sums`, `number` of them, are where the sums of the first of the columns are.
    void finish(const arguments &args, const double *start, const double *sums, dim_t number, dim_t pitch,
                range columns) const;

    problem problem_;
    std::shared_ptr<const backward_kernels<T>> kernels_;
    Rows rows_;
    backward_work work_;
};

} // namespace jitnorm::impl::layer_norm
