// SPDX-License-Identifier: Apache-2.0
// forward_batches: what is done to a batch of rows whose elements are adjacent, wherever they are: kernels, and the
// scalar steps between them.
#pragma once

#include <cstddef>
#include <memory>

#include "../layout/row_tensors.hpp"
#include "../simd/row_batch.hpp"
#include "forward_kernels.hpp"
#include "post_op_operands.hpp"

namespace jitnorm::impl::layer_norm {

// What all batches of a thread's share of an execution have in common. T is the compute type.
template <typename T>
struct forward_inputs {
    const arguments &args;
    const std::byte *scale, *shift; // null where the problem has none
    T src_scale, inverse_dst_scale;
    bool prefetch, non_temporal;
    std::byte *operand_tiles; // room for post-op operands that are not dense

    forward_inputs(const arguments &args, const walk &how, std::byte *operand_tiles);
};

template <typename T>
class forward_batches {
public:
    using kernels_ptr = std::shared_ptr<const forward_kernels<T>>;
    forward_batches(const problem &p, const plan &how, kernels_ptr kernels);

    // ---- statistics: found in one step for rows of at most CHUNK elements, chunk by chunk for longer ones

    void find_statistics(const strip &src, row_batch<T> &batch) const;

    // Moments of the chunks of one row that begin at `src`, in `columns` elements, are put behind `row`'s; those of the
    // row's first chunk are where it begins.
    void add_chunks(const std::byte *src, range columns, moments<T> &row) const;
    moments<T> chunk_moments(const std::byte *src, dim_t count) const; // at most CHUNK elements
    // From the moments of all rows.
    void set_statistics(const moments<T> *rows, row_batch<T> &batch) const;

    void read_statistics(const statistics_rows &from, row_batch<T> &batch) const;
    void write_statistics(const row_batch<T> &batch, const statistics_rows &to) const;

    // ---- some columns of the batch's rows, the first of which has the given number

    void normalize(const forward_inputs<T> &inputs, const strip &src, const strip &dst, const row_batch<T> &batch,
                   dim_t first_row, range columns) const;

private:
    void settle_rest(const strip &src, row_batch<T> &batch) const;
    moments<T> settled(const std::byte *row, const row_batch<T> &batch, dim_t r, T k) const;
    moments<T> settle_chunk(const std::byte *src, dim_t count, T p, const sums<T> &first) const;
    sums<T> repeat(const std::byte *src, dim_t count, T pivot, T factor) const;

    bool writes_mean_, writes_variance_, rms_;
    statistics_form form_;
    jitnorm_data_type_t statistics_type_;
    float epsilon_;
    dim_t rows_per_pass_;
    kernels_ptr kernels_;
    post_op_operands<T> operands_;
    dim_t C_, src_size_, scale_size_; // bytes of an element
    double inv_C_;
};

} // namespace jitnorm::impl::layer_norm
