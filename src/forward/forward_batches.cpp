// SPDX-License-Identifier: Apache-2.0
#include "forward_batches.hpp"

#include "../core/unaligned.hpp"
#include "../layout/statistics_io.hpp"

namespace jitnorm::impl::layer_norm {

static_assert(MAX_BATCH_ROWS % jit::SHORT_SWEEP_GROUP == 0);

namespace {

const std::byte *behind(const std::byte *first, dim_t bytes) { return first == nullptr ? nullptr : first + bytes; }

} // namespace

template <typename T>
forward_inputs<T>::forward_inputs(const arguments &from, const walk &how, std::byte *room)
    : args(from), scale(static_cast<const std::byte *>(from[SCALE])),
      shift(static_cast<const std::byte *>(from[SHIFT])),
      src_scale(from[SRC_SCALE] ? T(load<float>(from[SRC_SCALE])) : T(1)),
      inverse_dst_scale(from[DST_SCALE] ? T(1) / T(load<float>(from[DST_SCALE])) : T(1)), prefetch(how.prefetch),
      non_temporal(how.non_temporal), operand_tiles(room) {}

template <typename T>
forward_batches<T>::forward_batches(const problem &p, const plan &how, kernels_ptr kernels)
    : writes_mean_(p.writes_mean()), writes_variance_(p.writes_variance()), rms_(p.is_rms()), form_(p.form),
      statistics_type_(p.statistics.data_type), epsilon_(p.epsilon), rows_per_pass_(how.rows_per_pass),
      kernels_(std::move(kernels)), operands_(p, kernels_->operand_types), C_(p.row_length()),
      src_size_(element_size(p.src)), scale_size_(dim_t(size_of(p.scale_shift_type))), inv_C_(1.0 / double(C_)) {}

// ---- statistics

template <typename T>
void forward_batches<T>::find_statistics(const strip &src, row_batch<T> &batch) const {
    const auto &kernel = C_ <= FORWARD_LANES<T> ? kernels_->short_sweep : kernels_->sweep;
    kernel({.src = src.first,
            .row_stride = src.stride,
            .rows = batch.rows,
            .count = C_,
            .pivot = batch.p,
            .s = batch.s,
            .q = batch.q,
            .factor = 1});
    if (rms_) batch.set_no_pivots();
    const bool exact = C_ == 1 && !rms_; // differences are zero or NaN, whatever their scale
    if (!batch.take_first_sweeps(double(C_), inv_C_) && !exact) settle_rest(src, batch);
    batch.complete(epsilon_);
}

// Consecutive rows that need the same factor, often none at all or padding, are swept again together.
template <typename T>
void forward_batches<T>::settle_rest(const strip &src, row_batch<T> &batch) const {
    for (dim_t begin = 0, end = 0; begin < batch.rows; begin = end) {
        const T k = rescale_factor(batch.q[begin]);
        while (end < batch.rows && rescale_factor(batch.q[end]) == k) ++end;
        if (k != T(1))
            kernels_->repeat({.src = src.first + begin * src.stride,
                              .row_stride = src.stride,
                              .rows = end - begin,
                              .count = C_,
                              .pivot = batch.p + begin,
                              .s = batch.s + begin,
                              .q = batch.q + begin,
                              .factor = k});
        for (dim_t r = begin; r < end; ++r)
            if (k != T(1) || pivot_is_poor<T>({batch.s[r], batch.q[r]}, inv_C_))
                batch.set(r, finish(settled(src.first + r * src.stride, batch, r, k), inv_C_));
    }
}

template <typename T>
moments<T> forward_batches<T>::settled(const std::byte *row, const row_batch<T> &batch, dim_t r, T k) const {
    const sums<T> sum = {batch.s[r], batch.q[r]};
    if (rms_) return moments_of_squares(k, sum.q, C_);
    return settle_pivot(batch.p[r], k, sum, C_, [&](T pivot, T factor) { return repeat(row, C_, pivot, factor); });
}

// The kernel takes chunks as rows, MAX_BATCH_ROWS at a time.
template <typename T>
void forward_batches<T>::add_chunks(const std::byte *src, range columns, moments<T> &row) const {
    T p[MAX_BATCH_ROWS], s[MAX_BATCH_ROWS], q[MAX_BATCH_ROWS];
    for (dim_t begin = columns.begin; begin < columns.end;) {
        const dim_t count = std::min(CHUNK, columns.end - begin);
        const dim_t chunks = std::clamp<dim_t>((columns.end - begin) / CHUNK, 1, MAX_BATCH_ROWS);
        kernels_->sweep({.src = src,
                         .row_stride = CHUNK * src_size_,
                         .rows = chunks,
                         .count = count,
                         .pivot = p,
                         .s = s,
                         .q = q,
                         .factor = 1});
        for (dim_t k = 0; k < chunks; ++k, begin += count, src += count * src_size_) {
            const auto chunk = settle_chunk(src, count, p[k], {s[k], q[k]});
            row = begin == 0 ? chunk : merge(row, chunk);
        }
    }
}

template <typename T>
moments<T> forward_batches<T>::chunk_moments(const std::byte *src, dim_t count) const {
    T p = 0, s = 0, q = 0;
    kernels_->sweep(
        {.src = src, .row_stride = 0, .rows = 1, .count = count, .pivot = &p, .s = &s, .q = &q, .factor = 1});
    return settle_chunk(src, count, p, {s, q});
}

template <typename T>
moments<T> forward_batches<T>::settle_chunk(const std::byte *src, dim_t count, T p, const sums<T> &first) const {
    return settle(p, first, count, rms_, [&](T pivot, T factor) { return repeat(src, count, pivot, factor); });
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

template <typename T>
void forward_batches<T>::write_statistics(const row_batch<T> &batch, const statistics_rows &to) const {
    const auto write = [&](void *tensor, const auto &copy) {
        alignas(64) float values[MAX_BATCH_ROWS];
        copy(values);
        layer_norm::write_statistics(values, batch.rows, tensor, statistics_type_, 0, to.stride);
    };
    if (writes_mean_) write(to.mean, [&](float *values) { batch.copy_means(values); });
    if (writes_variance_) write(to.variance, [&](float *values) { batch.copy_deviations(form_, values); });
}

// ---- normalization

template <typename T>
void forward_batches<T>::normalize(const forward_inputs<T> &inputs, const strip &src, const strip &dst,
                                   const row_batch<T> &batch, dim_t first_row, range columns) const {
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
                                        .operands = nullptr};
    const auto &kernel = inputs.non_temporal ? kernels_->non_temporal : kernels_->normalize;
    if (operands_.size() == 0) return kernel(args);
    typename post_op_operands<T>::table operands;
    operands_.locate(inputs.args, {first_row, batch.rows, columns.begin, columns.end - columns.begin},
                     inputs.operand_tiles, operands);
    args.operands = operands.pointers;
    kernel(args);
}

template struct forward_inputs<float>;
template struct forward_inputs<double>;
template class forward_batches<float>;
template class forward_batches<double>;

} // namespace jitnorm::impl::layer_norm
