// SPDX-License-Identifier: Apache-2.0
#include "forward_rows.hpp"

#include "statistics_io.hpp"

namespace jitnorm::impl::layer_norm {

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
    rows.scale = args.scale;
    rows.shift = args.shift;
    rows.src_scale = args.src_scale ? T(*args.src_scale) : T(1);
    rows.inverse_dst_scale = args.dst_scale ? T(1) / T(*args.dst_scale) : T(1);
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
    batch.complete(epsilon_, form_);
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
    batch.complete(epsilon_, form_);
}

template <typename T>
void forward_rows<T>::store_statistics(const dense_rows<T> &rows, const row_batch<T> &batch) const {
    const dim_t stride = rows.statistics_stride, first = batch.first * stride;
    if (writes_mean_) write_statistics(batch.mean, batch.rows, rows.mean, statistics_type_, first, stride);
    if (writes_variance_) write_statistics(batch.variance, batch.rows, rows.variance, statistics_type_, first, stride);
}

template <typename T>
void forward_rows<T>::sweep(const dense_rows<T> &rows, row_batch<T> &batch) const {
    const std::byte *src = rows.src + batch.first * rows.src_stride;
    kernels_->sweep({src, rows.src_stride, batch.rows, C_, batch.p, batch.s, batch.q, 1});
    if (!rms_ && batch.is_settled(inv_C_)) {
        batch.take_settled(double(C_), inv_C_);
        return;
    }
    for (dim_t r = 0; r < batch.rows; ++r) {
        const auto row = settle_chunk(src + r * rows.src_stride, C_, batch.p[r], {batch.s[r], batch.q[r]});
        batch.set(r, finish(row, inv_C_));
    }
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
    const auto sweep_again = [&](T pivot, T factor) {
        sums<T> again{0, 0};
        kernels_->repeat({src, 0, 1, count, &pivot, &again.s, &again.q, factor});
        return again;
    };
    return rms_ ? settle_squares(first, count, sweep_again) : settle(p, first, count, sweep_again);
}

template <typename T>
void forward_rows<T>::finish_row(row_batch<T> &batch, dim_t row, const moments<T> &moments) const {
    batch.set(row, finish(moments, inv_C_));
    if (row + 1 == batch.rows) batch.complete(epsilon_, form_);
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
    const auto &kernel = rows.plan.streaming ? kernels_->bypassing : kernels_->normalize;
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
    const auto &kernel = rows.plan.streaming ? kernels_->bypassing : kernels_->normalize;
    kernel(arguments);
}

template class forward_rows<float>;
template class forward_rows<double>;

} // namespace jitnorm::impl::layer_norm
