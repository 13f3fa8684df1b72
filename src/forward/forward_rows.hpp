// SPDX-License-Identifier: Apache-2.0
// forward_rows: forward on rows whose elements are adjacent: batches of rows to kernels, and the scalar steps between.
#pragma once

#include <cstddef>
#include <memory>

#include "../core/executor.hpp"
#include "../simd/row_batch.hpp"
#include "forward_kernels.hpp"
#include "post_op_operands.hpp"

namespace jitnorm::impl::layer_norm {

// Evenly spaced rows in memory, and what they are normalized with. T is the compute type.
template <typename T>
struct dense_rows {
    const std::byte *src;
    std::byte *dst;
    dim_t src_stride, dst_stride; // from row to row, in bytes
    void *mean, *variance;        // of the first row
    dim_t statistics_stride;      // in elements
    const void *scale, *shift;
    T src_scale, inverse_dst_scale;
    tuning::plan plan;

    // For post-ops: where the rows are in the problem, and room for operands that are not dense.
    const arguments *args;
    dim_t first_row, first_column;
    std::byte *operand_tiles;
};

template <typename T>
class forward_rows {
public:
    using kernels_ptr = std::shared_ptr<const forward_kernels<T>>;
    forward_rows(const problem &p, kernels_ptr kernels);

    // The arguments that do not depend on where rows are.
    static dense_rows<T> common(const arguments &args);

    // Normalizes `count` rows of C elements.
    void run(const dense_rows<T> &rows, dim_t count) const;

    // The steps of run(), for rows that are not in memory as a whole.
    moments<T> chunk_moments(const std::byte *src, dim_t count) const; // at most CHUNK elements
    void finish_row(row_batch<T> &batch, dim_t row, const moments<T> &moments) const;
    void find_given_statistics(const dense_rows<T> &rows, row_batch<T> &batch) const;
    void store_statistics(const dense_rows<T> &rows, const row_batch<T> &batch) const;
    void normalize(const dense_rows<T> &rows, const row_batch<T> &batch, dim_t columns) const;

private:
    void find_statistics(const dense_rows<T> &rows, row_batch<T> &batch) const;
    void sweep(const dense_rows<T> &rows, row_batch<T> &batch) const;
    void sweep_long_row(const std::byte *src, row_batch<T> &batch) const;
    void settle_rest(const std::byte *src, dim_t stride, row_batch<T> &batch) const;
    moments<T> settled(const std::byte *row, const row_batch<T> &batch, dim_t r, T k) const;
    sums<T> repeat(const std::byte *src, dim_t count, T pivot, T factor) const;
    moments<T> settle_chunk(const std::byte *src, dim_t count, T p, const sums<T> &first) const;

    bool given_, writes_mean_, writes_variance_, rms_; // what becomes of the statistics
    statistics_form form_;
    jitnorm_data_type_t statistics_type_;
    float epsilon_;
    void normalize_with_post_ops(const dense_rows<T> &rows, const row_batch<T> &batch, dim_t columns) const;
    jit::normalize_arguments<T> normalize_arguments(const dense_rows<T> &rows, const row_batch<T> &batch,
                                                    dim_t columns) const;

    kernels_ptr kernels_;
    post_op_operands<T> operands_;
    dim_t C_, src_size_;
    double inv_C_;
};

} // namespace jitnorm::impl::layer_norm
