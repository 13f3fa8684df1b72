// SPDX-License-Identifier: Apache-2.0
// forward_executor: rows to threads, threads to runs of evenly spaced rows, runs to batches, batches to kernels.
#pragma once

#include <cstddef>

#include "../core/executor.hpp"
#include "../core/problem.hpp"
#include "../core/row_space.hpp"
#include "../jit/normalize_kernel.hpp"
#include "../jit/sweep_kernel.hpp"
#include "row_batch.hpp"

namespace jitnorm::impl::layer_norm {

class forward_executor final : public executor {
public:
    // Gets its kernels from the cache or generates them: throws what that throws.
    forward_executor(const problem &p, jit::isa vectors);

    jitnorm_status_t execute(const arguments &args) const override;

private:
    // A run of rows: pointers to its first row, and how to walk it.
    struct rows_in_memory {
        const std::byte *src;
        std::byte *dst;
        float *mean, *variance; // null where the problem has none
        const void *scale, *shift;
        float src_scale, inverse_dst_scale;
        tuning::plan plan;
    };

    tuning::plan plan_for(const arguments &args, int parts) const;
    void normalize_run(const rows_in_memory &rows, dim_t count) const;
    void find_statistics(const rows_in_memory &rows, row_batch &batch) const;
    void load_statistics(const rows_in_memory &rows, row_batch &batch) const;
    void store_statistics(const rows_in_memory &rows, const row_batch &batch) const;
    void sweep(const std::byte *src, row_batch &batch) const;
    void sweep_long_row(const std::byte *src, row_batch &batch) const;
    moments<float> settle_chunk(const std::byte *src, dim_t count, float p, const sums<float> &first) const;
    void normalize(const rows_in_memory &rows, const row_batch &batch) const;

    problem problem_;
    row_space space_;
    jit::sweep_kernel sweep_, repeat_;
    jit::normalize_kernel normalize_, stream_;
    dim_t C_;
    dim_t src_size_, dst_size_;     // bytes of an element
    dim_t src_stride_, dst_stride_; // from row to row of a run, in bytes
    dim_t statistics_stride_;       // the same in elements
    double inv_C_;
    bool dst_in_lines_; // every row of dst is whole cache lines from the first
};

} // namespace jitnorm::impl::layer_norm
