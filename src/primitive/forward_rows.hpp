// SPDX-License-Identifier: Apache-2.0
// forward_rows: forward on rows whose elements are adjacent: batches of rows to kernels, and the scalar steps between.
#pragma once

#include <cstddef>

#include "../core/executor.hpp"
#include "../core/problem.hpp"
#include "../jit/normalize_kernel.hpp"
#include "../jit/sweep_kernel.hpp"
#include "row_batch.hpp"

namespace jitnorm::impl::layer_norm {

// Evenly spaced rows in memory, and what they are normalized with.
struct dense_rows {
    const std::byte *src;
    std::byte *dst;
    dim_t src_stride, dst_stride; // from row to row, in bytes
    float *mean, *variance;       // null where the problem has none
    dim_t statistics_stride;      // in elements
    const void *scale, *shift;
    float src_scale, inverse_dst_scale;
    tuning::plan plan;
};

class forward_rows {
public:
    // Gets its kernels from the cache or generates them: throws what that throws.
    forward_rows(const problem &p, jit::isa vectors);

    // The arguments that do not depend on where rows are.
    static dense_rows common(const arguments &args);

    // Normalizes `count` rows of C elements.
    void run(const dense_rows &rows, dim_t count) const;

    // The steps of run(), for rows that are not in memory as a whole.
    moments<float> chunk_moments(const std::byte *src, dim_t count) const; // at most CHUNK elements
    void finish_row(row_batch &batch, dim_t row, const moments<float> &moments) const;
    void find_given_statistics(const dense_rows &rows, row_batch &batch) const;
    void store_statistics(const dense_rows &rows, const row_batch &batch) const;
    void normalize(const dense_rows &rows, const row_batch &batch, dim_t columns) const;

private:
    void find_statistics(const dense_rows &rows, row_batch &batch) const;
    void sweep(const dense_rows &rows, row_batch &batch) const;
    void sweep_long_row(const std::byte *src, row_batch &batch) const;
    moments<float> settle_chunk(const std::byte *src, dim_t count, float p, const sums<float> &first) const;

    bool given_, stored_, rms_; // what becomes of the statistics
    float epsilon_;
    jit::sweep_kernel sweep_, repeat_;
    jit::normalize_kernel normalize_, stream_;
    dim_t C_, src_size_;
    double inv_C_;
};

} // namespace jitnorm::impl::layer_norm
