// SPDX-License-Identifier: Apache-2.0
#include "backward.hpp"

#include "../norm/row_groups.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T>
backward<T>::backward(const problem &p, const plan &planned, std::shared_ptr<const kernels> made)
    : problem_(p), plan_(planned), kernels_(std::move(made)), layout_(p), gradients_(p, layout_, kernels_),
      rms_(p.is_rms()), own_rows_(has_own_rows(p)), scale_size_(dim_t(size_of(p.scale_shift_type))),
      inv_C_(1.0 / double(p.row_length())) {}

template <typename T>
void backward<T>::end_rows(const arguments &args, const schedule &now) const {
    if (threads_to_end(now) == 1) end_sums(args, now, 1);
}

template <typename T>
void backward<T>::end(const arguments &args, const schedule &now) const {
    if (now.by_chunks) return;
    const int threads = threads_to_end(now);
    if (threads > 1) end_sums(args, now, threads);
}

template <typename T>
int backward<T>::threads_to_end(const schedule &now) const {
    if (now.threads == 1 || adds_kept_blocks()) return now.threads;
    return gradients_.threads_to_finish(added_parts(now), now.threads);
}

template <typename T>
void backward<T>::end_sums(const arguments &args, const schedule &now, int threads) const {
    if (gradients_.count() == 0 || sums_become_gradients()) return;
    double *const sums = layout_.part_sums(plan_, args[SCRATCHPAD], 0);
    if (layout_.keeps_blocks())
        return gradients_.finish_blocks(args, sums, layout_.template kept_block<T>(plan_, args[SCRATCHPAD], 0),
                                        added_parts(now), threads);
    if (adds_kept_blocks())
        parallel_parts(threads, [&](int share) {
            const range mine = split(layout_.cut().parts(), threads, share);
            for (dim_t part = mine.begin; part < mine.end; ++part) add_kept_blocks(args, part);
        });
    gradients_.finish_parts(args, sums, added_parts(now), gradients_.threads_to_finish(added_parts(now), threads));
}

template <typename T>
void backward<T>::add_kept_blocks(const arguments &args, dim_t part) const {
    double *const sums = layout_.part_sums(plan_, args[SCRATCHPAD], part);
    const range blocks = layout_.cut().part(part);
    for (dim_t block = blocks.begin; block < blocks.end; ++block)
        gradients_.add_block(block == blocks.begin ? nullptr : sums,
                             layout_.template kept_block<T>(plan_, args[SCRATCHPAD], block), sums, layout_.width());
}

template <typename T>
void backward<T>::read_statistics(const statistics_rows &from, batch &b) const {
    const auto read = [&](slot s, auto *values) {
        float buffer[MAX_BATCH_ROWS];
        const void *const found =
            layer_norm::read_statistics(from[s], problem_[s].data_type, from.stride, b.rows, buffer);
        for (dim_t r = 0; r < b.rows; ++r) values[r] = load<float>(found, r);
    };
    if (rms_)
        std::fill_n(b.mean, b.rows, T(0));
    else
        read(MEAN, b.mean);
    if (problem_.form == statistics_form::variance) {
        read(VARIANCE, b.variance);
        b.find_deviations(problem_.epsilon);
    } else {
        read(VARIANCE, b.rstd);
    }
    b.find_factors(rms_);
}

template <typename T>
const void *backward<T>::scale_of(const arguments &args, const panel &here, range columns) const {
    return own_rows_ ? here.scale.first : behind(args[SCALE], columns.begin * scale_size_);
}

template <typename T>
jit::backward_sums_arguments<T> backward<T>::sums_arguments(const arguments &args, const panel &here, const batch &b,
                                                            range columns, const column_sums<T> &to, T *s1,
                                                            T *s2) const {
    const column_sums<T> sums = to.behind(columns.begin);
    return {.src = here.src.first,
            .diff_dst = here.second.first,
            .src_row_stride = here.src.stride,
            .diff_dst_row_stride = here.second.stride,
            .rows = b.rows,
            .count = columns.end - columns.begin,
            .mean = b.mean,
            .factor = b.factor,
            .scale = scale_of(args, here, columns),
            .diff_scale = own_rows_ ? static_cast<void *>(here.diff_scale.first) : sums.scale,
            .diff_shift = own_rows_ ? static_cast<void *>(here.diff_shift.first) : sums.shift,
            .scale_row_stride = here.scale.stride,
            .diff_scale_row_stride = here.diff_scale.stride,
            .diff_shift_row_stride = here.diff_shift.stride,
            .s1 = s1,
            .s2 = s2,
            .src_prefetch = prefetch_distance(here.src, bytes_of_row(SRC)),
            .diff_dst_prefetch = prefetch_distance(here.second, bytes_of_row(DIFF_DST))};
}

template <typename T>
jit::backward_data_arguments<T> backward<T>::data_arguments(const arguments &args, const panel &here, batch &b,
                                                            range columns) const {
    return {.src = here.src.first,
            .diff_dst = here.second.first,
            .diff_sum = here.sum.first,
            .diff_src = here.result.first,
            .src_row_stride = here.src.stride,
            .diff_dst_row_stride = here.second.stride,
            .diff_src_row_stride = here.result.stride,
            .diff_sum_row_stride = here.sum.stride,
            .rows = b.rows,
            .count = columns.end - columns.begin,
            .mean = b.mean,
            .rstd = b.rstd,
            .m1 = b.m1,
            .k = b.k,
            .scale = scale_of(args, here, columns),
            .scale_row_stride = here.scale.stride,
            .src_prefetch = plan_.band_rows * here.src.stride,
            .diff_dst_prefetch = plan_.band_rows * here.second.stride};
}

template <typename T>
void backward<T>::sum(const arguments &args, const panel &here, const batch &b, range columns, const column_sums<T> &to,
                      T *s1, T *s2) const {
    (*kernels_->sums)(sums_arguments(args, here, b, columns, to, s1, s2));
}

template <typename T>
void backward<T>::write(const arguments &args, const schedule &now, const panel &here, batch &b, range columns) const {
    const auto &kernel = now.non_temporal ? *kernels_->data_non_temporal : *kernels_->data;
    kernel(data_arguments(args, here, b, columns));
}

template <typename T>
void backward<T>::do_bands(const arguments &args, const schedule &now, const panel &here, batch &b,
                           const column_sums<T> &to) const {
    const range columns = {0, layout_.columns()};
    kernels_->rows->choose(now.non_temporal)(
        {.reduced = sums_arguments(args, here, b, columns, to, b.chunk_s1, b.chunk_s2),
         .written = data_arguments(args, here, b, columns),
         .inverse_count = inv_C_,
         .band_rows = plan_.band_rows});
}

template <typename T>
void backward<T>::write_and_sum(const arguments &args, const schedule &now, const panel &there, batch &ready,
                                const panel &here, batch &next, range columns, const column_sums<T> &to) const {
    kernels_->loop->choose(now.non_temporal)(
        {.reduced = sums_arguments(args, here, next, columns, to, next.chunk_s1, next.chunk_s2),
         .written = data_arguments(args, there, ready, columns)});
}

template class backward<float>;
template class backward<double>;

} // namespace jitnorm::impl::layer_norm
