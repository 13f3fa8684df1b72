// SPDX-License-Identifier: Apache-2.0
#include "forward_batches.hpp"

#include "../base/bytes.hpp"
#include "../layout/statistics_io.hpp"

namespace jitnorm::impl::layer_norm {

static_assert(MAX_BATCH_ROWS % jit::SHORT_REDUCTION_GROUP == 0);

template <typename T>
forward_inputs<T>::forward_inputs(const problem &p, const arguments &from, const walk &how, std::byte *room,
                                  std::byte *own)
    : args(from), scale(static_cast<const std::byte *>(from[SCALE])),
      shift(static_cast<const std::byte *>(from[SHIFT])),
      src_scale(from[SRC_SCALE] ? T(load<float>(from[SRC_SCALE])) : T(1)),
      inverse_dst_scale(p.attr.dst_scale ? T(1) / T(load<float>(from[DST_SCALE])) : T(1)), prefetch(how.prefetch),
      non_temporal(how.non_temporal), operand_tiles(room), floats(own) {}

template <typename T>
forward_batches<T>::forward_batches(const problem &p, const plan &how, kernels_ptr kernels)
    : writes_mean_(p.writes(MEAN)), writes_variance_(p.writes(VARIANCE)), rms_(p.is_rms()), form_(p.form),
      statistics_type_(p[VARIANCE].data_type), epsilon_(p.epsilon), rows_per_pass_(how.rows_per_pass),
      kernels_(std::move(kernels)), operands_(p, kernels_->operand_types), C_(p.row_length()),
      src_size_(dim_t(size_of(p.row_type()))), scale_size_(dim_t(size_of(p.scale_shift_type))),
      inv_C_(1.0 / double(C_)) {}

// Finds the statistics of the rows for which the first reduction was not enough. Consecutive rows that need the same
// factor are reduced again together; often these are rows of one kind, such as padding.
template <typename T>
void forward_batches<T>::refine_rest(const strip &src, row_batch<T> &batch) const {
    for (dim_t begin = 0, end = 0; begin < batch.rows; begin = end) {
        const T k = rescale_factor(batch.q[begin]);
        while (end < batch.rows && rescale_factor(batch.q[end]) == k) ++end;
        if (k != T(1))
            kernels_->repeat({.src = src.row(begin),
                              .row_stride = src.stride,
                              .rows = end - begin,
                              .count = C_,
                              .pivot = batch.p + begin,
                              .s = batch.s + begin,
                              .q = batch.q + begin,
                              .factor = k});
        for (dim_t r = begin; r < end; ++r)
            if (k != T(1) || pivot_is_poor<T>({batch.s[r], batch.q[r]}, inv_C_))
                batch.set(r, finish(refined(src.row(r), batch, r, k), inv_C_));
    }
}

template <typename T>
moments<T> forward_batches<T>::refined(const std::byte *row, const row_batch<T> &batch, dim_t r, T k) const {
    const sums<T> sum = {batch.s[r], batch.q[r]};
    if (rms_) return moments_of_squares(k, sum.q, C_);
    return refine_pivot(batch.p[r], k, sum, C_, [&](T pivot, T factor) { return repeat(row, C_, pivot, factor); });
}

// The chunks of the row are the rows of the kernel, MAX_BATCH_ROWS at a time.
template <typename T>
void forward_batches<T>::add_chunks(const std::byte *src, range columns, moments<T> &row) const {
    T p[MAX_BATCH_ROWS], s[MAX_BATCH_ROWS], q[MAX_BATCH_ROWS];
    for (dim_t begin = columns.begin; begin < columns.end;) {
        const dim_t count = std::min(CHUNK, columns.end - begin);
        const dim_t chunks = std::clamp<dim_t>((columns.end - begin) / CHUNK, 1, MAX_BATCH_ROWS);
        kernels_->reduce({.src = src,
                          .row_stride = CHUNK * src_size_,
                          .rows = chunks,
                          .count = count,
                          .pivot = p,
                          .s = s,
                          .q = q,
                          .factor = 1});
        for (dim_t k = 0; k < chunks; ++k, begin += count, src += count * src_size_) {
            const auto chunk = refine_chunk(src, count, p[k], {s[k], q[k]});
            row = begin == 0 ? chunk : merge(row, chunk);
        }
    }
}

template <typename T>
moments<T> forward_batches<T>::chunk_moments(const std::byte *src, dim_t count) const {
    T p = 0, s = 0, q = 0;
    kernels_->reduce(
        {.src = src, .row_stride = 0, .rows = 1, .count = count, .pivot = &p, .s = &s, .q = &q, .factor = 1});
    return refine_chunk(src, count, p, {s, q});
}

template <typename T>
moments<T> forward_batches<T>::refine_chunk(const std::byte *src, dim_t count, T p, const sums<T> &first) const {
    return refine(p, first, count, rms_, [&](T pivot, T factor) { return repeat(src, count, pivot, factor); });
}

template <typename T>
sums<T> forward_batches<T>::repeat(const std::byte *src, dim_t count, T pivot, T factor) const {
    sums<T> again{0, 0};
    kernels_->repeat({.src = src,
                      .row_stride = 0,
                      .rows = 1,
                      .count = count,
                      .pivot = &pivot,
                      .s = &again.s,
                      .q = &again.q,
                      .factor = factor});
    return again;
}

template <typename T>
void forward_batches<T>::set_statistics(const moments<T> *rows, row_batch<T> &batch) const {
    for (dim_t r = 0; r < batch.rows; ++r) batch.set(r, finish(rows[r], inv_C_));
    batch.complete(epsilon_);
}

template <typename T>
void forward_batches<T>::read_statistics(const statistics_rows &from, row_batch<T> &batch) const {
    const auto read = [&](const void *tensor, auto &&take) {
        layer_norm::read_statistics(tensor, statistics_type_, 0, from.stride, batch.rows, take);
    };
    T mean[MAX_BATCH_ROWS] = {};
    if (!rms_) read(from.mean, [&](dim_t r, float value) { mean[r] = T(value); });
    if (form_ == statistics_form::inverse_deviation)
        return read(from.variance, [&](dim_t r, float value) { batch.set_given(r, mean[r], T(value)); });
    read(from.variance, [&](dim_t r, float value) { batch.set(r, {mean[r], 0.0, double(value)}); });
    batch.complete(epsilon_);
}

// To another type than theirs, or not side by side.
template <typename T>
void forward_batches<T>::convert_statistics(const row_batch<T> &batch, const statistics_rows &to) const {
    alignas(64) float values[MAX_BATCH_ROWS];
    const auto write = [&](void *tensor) {
        layer_norm::write_statistics(values, batch.rows, tensor, statistics_type_, 0, to.stride);
    };
    if (writes_mean_) {
        batch.copy_means(values);
        write(to.mean);
    }
    if (writes_variance_) {
        batch.copy_deviations(form_, values);
        write(to.variance);
    }
}

// Those of the next batch.
template <typename T>
void forward_batches<T>::prefetch_terms(const forward_inputs<T> &inputs, const strip *terms, dim_t rows,
                                        jit::normalize_arguments<T> &args) const {
    for (size_t i = 0; i < 2; ++i) {
        const strip &term = terms[i];
        args.terms[i] = term.first + (inputs.prefetch ? rows * term.stride : 0);
        args.term_strides[i] = term.stride;
    }
}

// Is not a part of normalize(), because the table takes much of the stack.
template <typename T>
void forward_batches<T>::normalize_with_operands(const forward_inputs<T> &inputs,
                                                 const jit::normalize_kernel<T> &kernel,
                                                 jit::normalize_arguments<T> &args, const window &where) const {
    typename post_op_operands<T>::table operands;
    operands_.locate(inputs.args, where, inputs.operand_tiles, operands);
    args.operands = operands.pointers;
    kernel(args);
}

template struct forward_inputs<float>;
template struct forward_inputs<double>;
template class forward_batches<float>;
template class forward_batches<double>;

} // namespace jitnorm::impl::layer_norm
