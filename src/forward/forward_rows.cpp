// SPDX-License-Identifier: Apache-2.0
#include "forward_rows.hpp"

#include "../core/unaligned.hpp"
#include "../layout/statistics_io.hpp"

namespace jitnorm::impl::layer_norm {

static_assert(tuning::MAX_BATCH_ROWS % jit::SHORT_SWEEP_GROUP == 0);

template <typename T>
forward_rows<T>::forward_rows(const problem &p, kernels_ptr kernels)
    : given_(p.statistics_are_inputs()), writes_mean_(p.writes_mean()), writes_variance_(p.writes_variance()),
      rms_(p.is_rms()), form_(p.form), statistics_type_(p.statistics.data_type), epsilon_(p.epsilon),
      kernels_(std::move(kernels)), operands_(p, kernels_->operand_types), C_(p.row_length()),
      src_size_(dim_t(size_of(p.src.data_type))), inv_C_(1.0 / double(C_)) {}

template <typename T>
dense_rows<T> forward_rows<T>::common(const arguments &args) {
    dense_rows<T> rows = {};
    rows.args = &args;
    rows.scale = args[SCALE];
    rows.shift = args[SHIFT];
    rows.src_scale = args[SRC_SCALE] ? T(load<float>(args[SRC_SCALE])) : T(1);
    rows.inverse_dst_scale = args[DST_SCALE] ? T(1) / T(load<float>(args[DST_SCALE])) : T(1);
    return rows;
}

template <typename T>
void forward_rows<T>::run(const dense_rows<T> &rows, dim_t count) const {
    row_batch<T> batch;
    const dim_t batch_rows = C_ > CHUNK ? 1 : rows.plan.batch_rows;
    for (dim_t first = 0; first < count; first += batch_rows) {
        batch.first = first;
        batch.rows = std::min(batch_rows, count - first);
        find_statistics(rows, batch);
        normalize(rows, batch, C_);
    }
}

template <typename T>
void forward_rows<T>::find_statistics(const dense_rows<T> &rows, row_batch<T> &batch) const {
    if (given_) return find_given_statistics(rows, batch);
    if (C_ > CHUNK)
        sweep_long_row(rows.src + batch.first * rows.src_stride, batch);
    else
        sweep(rows, batch);
    batch.complete(epsilon_);
    store_statistics(rows, batch);
}

template <typename T>
void forward_rows<T>::find_given_statistics(const dense_rows<T> &rows, row_batch<T> &batch) const {
    const dim_t stride = rows.statistics_stride, first = batch.first * stride;
    const auto read = [&](const void *tensor, auto &&take) {
        read_statistics(tensor, statistics_type_, first, stride, batch.rows, take);
    };
    T mean[tuning::MAX_BATCH_ROWS] = {};
    if (!rms_) read(rows.mean, [&](dim_t r, float value) { mean[r] = T(value); });
    if (form_ == statistics_form::inverse_deviation)
        return read(rows.variance, [&](dim_t r, float value) { batch.set_given(r, mean[r], T(value)); });
    read(rows.variance, [&](dim_t r, float value) { batch.set(r, {mean[r], 0.0, double(value)}); });
    batch.complete(epsilon_);
}

template <typename T>
void forward_rows<T>::store_statistics(const dense_rows<T> &rows, const row_batch<T> &batch) const {
    const dim_t stride = rows.statistics_stride, first = batch.first * stride;
    const auto write = [&](void *to, const auto &copy) {
        alignas(64) float values[tuning::MAX_BATCH_ROWS];
        copy(values);
        write_statistics(values, batch.rows, to, statistics_type_, first, stride);
    };
    if (writes_mean_) write(rows.mean, [&](float *values) { batch.copy_means(values); });
    if (writes_variance_) write(rows.variance, [&](float *values) { batch.copy_deviations(form_, values); });
}

template <typename T>
void forward_rows<T>::sweep(const dense_rows<T> &rows, row_batch<T> &batch) const {
    const std::byte *src = rows.src + batch.first * rows.src_stride;
    const auto &kernel = C_ <= FORWARD_LANES<T> ? kernels_->short_sweep : kernels_->sweep;
    kernel({src, rows.src_stride, batch.rows, C_, batch.p, batch.s, batch.q, 1});
    if (rms_) batch.set_no_pivots();
    const bool exact = C_ == 1 && !rms_; // differences are zero or NaN, whatever their scale
    if (!batch.take_first_sweeps(double(C_), inv_C_) && !exact) settle_rest(src, rows.src_stride, batch);
}

// Consecutive rows that need the same factor, often none at all or padding, are swept again together.
template <typename T>
void forward_rows<T>::settle_rest(const std::byte *src, dim_t stride, row_batch<T> &batch) const {
    for (dim_t begin = 0, end = 0; begin < batch.rows; begin = end) {
        const T k = rescale_factor(batch.q[begin]);
        while (end < batch.rows && rescale_factor(batch.q[end]) == k) ++end;
        if (k != T(1))
            kernels_->repeat(
                {src + begin * stride, stride, end - begin, C_, batch.p + begin, batch.s + begin, batch.q + begin, k});
        for (dim_t r = begin; r < end; ++r)
            if (k != T(1) || pivot_is_poor<T>({batch.s[r], batch.q[r]}, inv_C_))
                batch.set(r, finish(settled(src + r * stride, batch, r, k), inv_C_));
    }
}

template <typename T>
moments<T> forward_rows<T>::settled(const std::byte *row, const row_batch<T> &batch, dim_t r, T k) const {
    const sums<T> sum = {batch.s[r], batch.q[r]};
    if (rms_) return moments_of_squares(k, sum.q, C_);
    return settle_pivot(batch.p[r], k, sum, C_, [&](T pivot, T factor) { return repeat(row, C_, pivot, factor); });
}

// A row of several chunks: the kernel takes them as rows, MAX_BATCH_ROWS at a time.
template <typename T>
void forward_rows<T>::sweep_long_row(const std::byte *src, row_batch<T> &batch) const {
    moments<T> row{};
    for (dim_t begin = 0; begin < C_;) {
        const dim_t count = std::min(CHUNK, C_ - begin);
        const dim_t chunks = std::clamp<dim_t>((C_ - begin) / CHUNK, 1, tuning::MAX_BATCH_ROWS);
        kernels_->sweep({src + begin * src_size_, CHUNK * src_size_, chunks, count, batch.p, batch.s, batch.q, 1});
        for (dim_t k = 0; k < chunks; ++k, begin += count) {
            const auto chunk = settle_chunk(src + begin * src_size_, count, batch.p[k], {batch.s[k], batch.q[k]});
            row = begin == 0 ? chunk : merge(row, chunk);
        }
    }
    batch.set(0, finish(row, inv_C_));
}

template <typename T>
moments<T> forward_rows<T>::chunk_moments(const std::byte *src, dim_t count) const {
    T p = 0, s = 0, q = 0;
    kernels_->sweep({src, 0, 1, count, &p, &s, &q, 1});
    return settle_chunk(src, count, p, {s, q});
}

template <typename T>
moments<T> forward_rows<T>::settle_chunk(const std::byte *src, dim_t count, T p, const sums<T> &first) const {
    return settle(p, first, count, rms_, [&](T pivot, T factor) { return repeat(src, count, pivot, factor); });
}

template <typename T>
sums<T> forward_rows<T>::repeat(const std::byte *src, dim_t count, T pivot, T factor) const {
    sums<T> again{0, 0};
    kernels_->repeat({src, 0, 1, count, &pivot, &again.s, &again.q, factor});
    return again;
}

template <typename T>
void forward_rows<T>::finish_row(row_batch<T> &batch, dim_t row, const moments<T> &moments) const {
    batch.set(row, finish(moments, inv_C_));
    if (row + 1 == batch.rows) batch.complete(epsilon_);
}

template <typename T>
jit::normalize_arguments<T> forward_rows<T>::normalize_arguments(const dense_rows<T> &rows, const row_batch<T> &batch,
                                                                 dim_t columns) const {
    return {rows.src + batch.first * rows.src_stride,
            rows.dst + batch.first * rows.dst_stride,
            rows.src_stride,
            rows.dst_stride,
            batch.rows,
            columns,
            batch.hi,
            batch.rstd,
            batch.neg,
            rows.scale,
            rows.shift,
            rows.src_scale,
            rows.inverse_dst_scale,
            rows.plan.together,
            rows.plan.prefetch ? batch.rows * rows.src_stride : 0,
            kernels_->post_op_parameters.data(),
            nullptr};
}

template <typename T>
void forward_rows<T>::normalize(const dense_rows<T> &rows, const row_batch<T> &batch, dim_t columns) const {
    if (operands_.size() > 0) return normalize_with_post_ops(rows, batch, columns);
    const auto &kernel = rows.plan.non_temporal ? kernels_->non_temporal : kernels_->normalize;
    kernel(normalize_arguments(rows, batch, columns));
}

template <typename T>
void forward_rows<T>::normalize_with_post_ops(const dense_rows<T> &rows, const row_batch<T> &batch,
                                              dim_t columns) const {
    typename post_op_operands<T>::table operands;
    operands_.locate(*rows.args, {rows.first_row + batch.first, batch.rows, rows.first_column, columns},
                     rows.operand_tiles, operands);
    auto arguments = normalize_arguments(rows, batch, columns);
    arguments.operands = operands.pointers;
    const auto &kernel = rows.plan.non_temporal ? kernels_->non_temporal : kernels_->normalize;
    kernel(arguments);
}

template class forward_rows<float>;
template class forward_rows<double>;

} // namespace jitnorm::impl::layer_norm
