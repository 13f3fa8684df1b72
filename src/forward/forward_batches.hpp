// SPDX-License-Identifier: Apache-2.0
// forward_batches: the steps of a batch in forward, on panels: kernels, and the scalar steps between them. The steps
// that every batch takes are inline functions in this header: as calls they made a batch of 32 rows of 64 elements take
// 8 % longer.
#pragma once

#include <cstddef>
#include <memory>

#include "../layout/row_tensors.hpp"
#include "../layout/statistics_io.hpp"
#include "../math/row_batch.hpp"
#include "forward_kernels.hpp"
#include "post_op_operands.hpp"

namespace jitnorm::impl::layer_norm {

// The inputs that all batches of a thread have in common. T is the compute type.
template <typename T>
struct forward_inputs {
    const arguments &args;
    const std::byte *scale, *shift; // null where the problem has none
    T src_scale, inverse_dst_scale;
    bool prefetch, non_temporal;
    std::byte *operand_tiles; // scratchpad for operands of post-ops that are gathered
    std::byte *floats;        // scratchpad of the quantizer

    forward_inputs(const problem &p, const arguments &args, const walk &how, std::byte *operand_tiles,
                   std::byte *floats);
};

template <typename T>
class forward_batches {
public:
    using kernels_ptr = std::shared_ptr<const forward_kernels<T>>;
    forward_batches(const problem &p, const plan &how, kernels_ptr kernels);

    const forward_kernels<T> &kernels() const { return *kernels_; }

    // ---- statistics

    // For rows of at most CHUNK elements.
    [[gnu::always_inline]] void find_statistics(const strip &src, row_batch<T> &batch) const;
    // The same after the first reduction, whose sums are in the batch.
    [[gnu::always_inline]] void take_first_reductions(const strip &src, row_batch<T> &batch) const;

    // For longer rows: computes the moments of these columns of a row, chunk by chunk, and merges them to `row`. `src`
    // points to the first of the columns. If that is column 0, `row` is set.
    void add_chunks(const std::byte *src, range columns, moments<T> &row) const;
    // The moments of one chunk of `count` elements.
    moments<T> chunk_moments(const std::byte *src, dim_t count) const;
    // Sets the batch's statistics from the moments of its rows.
    void set_statistics(const moments<T> *rows, row_batch<T> &batch) const;

    void read_statistics(const statistics_rows &from, row_batch<T> &batch) const;
    [[gnu::always_inline]] void write_statistics(const row_batch<T> &batch, const statistics_rows &to) const;

    // Normalizes a panel of these columns and stores it to dst and to the pre-quantization output, if there is one.
    // `first_row` is the number of the batch's first row. `terms` are the two inputs of a sum with a residual, which
    // are prefetched; null without a residual.
    [[gnu::always_inline]] void normalize(const forward_inputs<T> &inputs, const strip &src, const strip &dst,
                                          const strip &pre_quantization, const strip *terms, const row_batch<T> &batch,
                                          dim_t first_row, range columns) const;

private:
    [[gnu::noinline]] void convert_statistics(const row_batch<T> &batch, const statistics_rows &to) const;
    [[gnu::noinline]] void normalize_with_operands(const forward_inputs<T> &inputs,
                                                   const jit::normalize_kernel<T> &kernel,
                                                   jit::normalize_arguments<T> &args, const window &where) const;
    void prefetch_terms(const forward_inputs<T> &inputs, const strip *terms, dim_t rows,
                        jit::normalize_arguments<T> &args) const;
    void refine_rest(const strip &src, row_batch<T> &batch) const;
    moments<T> refined(const std::byte *row, const row_batch<T> &batch, dim_t r, T k) const;
    moments<T> refine_chunk(const std::byte *src, dim_t count, T p, const sums<T> &first) const;
    sums<T> repeat(const std::byte *src, dim_t count, T pivot, T factor) const;

    bool writes_mean_, writes_variance_, rms_;
    statistics_form form_;
    jitnorm_data_type_t statistics_type_;
    double epsilon_;
    dim_t rows_per_pass_;
    kernels_ptr kernels_;
    post_op_operands<T> operands_;
    dim_t C_, src_size_, scale_size_; // columns; bytes of an element of src, of scale
    double inv_C_;
};

template <typename T>
inline void forward_batches<T>::find_statistics(const strip &src, row_batch<T> &batch) const {
    const auto &kernel = C_ <= kernels_->short_columns ? kernels_->short_reduction : kernels_->reduce;
    kernel({.src = src.first,
            .row_stride = src.stride,
            .rows = batch.rows,
            .count = C_,
            .pivot = batch.p,
            .s = batch.s,
            .q = batch.q,
            .factor = 1});
    take_first_reductions(src, batch);
}

template <typename T>
inline void forward_batches<T>::take_first_reductions(const strip &src, row_batch<T> &batch) const {
    if (rms_) batch.set_no_pivots();
    const bool exact = C_ == 1 && !rms_; // the difference is zero or NaN, so no other reduction is needed
    if (!batch.take_first_reductions(double(C_), inv_C_) && !exact) refine_rest(src, batch);
    batch.complete(epsilon_);
}

template <typename T>
inline void forward_batches<T>::write_statistics(const row_batch<T> &batch, const statistics_rows &to) const {
    if (statistics_type_ != jitnorm_f32 || to.stride != 1) return convert_statistics(batch, to); // hardly ever
    if (writes_mean_) batch.copy_means(to.mean);
    if (writes_variance_) batch.copy_deviations(form_, to.variance);
}

template <typename T>
inline void forward_batches<T>::normalize(const forward_inputs<T> &inputs, const strip &src, const strip &dst,
                                          const strip &pre_quantization, const strip *terms, const row_batch<T> &batch,
                                          dim_t first_row, range columns) const {
    jit::normalize_arguments<T> args = {.src = src.first,
                                        .dst = dst.first,
                                        .src_row_stride = src.stride,
                                        .dst_row_stride = dst.stride,
                                        .rows = batch.rows,
                                        .count = columns.end - columns.begin,
                                        .hi = batch.hi,
                                        .rstd = batch.rstd,
                                        .bias = batch.bias,
                                        .scale = behind(inputs.scale, columns.begin * scale_size_),
                                        .shift = behind(inputs.shift, columns.begin * scale_size_),
                                        .src_scale = inputs.src_scale,
                                        .inverse_dst_scale = inputs.inverse_dst_scale,
                                        .rows_per_pass = rows_per_pass_,
                                        .prefetch = inputs.prefetch ? batch.rows * src.stride : 0,
                                        .parameters = kernels_->post_op_parameters.data(),
                                        .operands = nullptr,
                                        .pre_quantization = pre_quantization.first,
                                        .pre_quantization_row_stride = pre_quantization.stride};
    if (terms != nullptr) prefetch_terms(inputs, terms, batch.rows, args);
    const auto &kernel = inputs.non_temporal ? kernels_->non_temporal : kernels_->normalize;
    if (operands_.size() == 0)
        kernel(args);
    else
        normalize_with_operands(inputs, kernel, args, {first_row, batch.rows, columns.begin, args.count});
}

} // namespace jitnorm::impl::layer_norm
