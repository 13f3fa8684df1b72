// SPDX-License-Identifier: Apache-2.0
#include "backward_batches.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

constexpr size_t X = 0, DY = 1; // the places of src and diff_dst in a panel; diff_src is the last one

} // namespace

template <typename T>
backward_batches<T>::backward_batches(const problem &p, std::shared_ptr<const backward_kernels<T>> kernels)
    : kernels_(std::move(kernels)), diff_src_(size_t(row_tensors_of(p).count - 1)), adds_(p.reads(DIFF_SUM)),
      scale_size_(dim_t(size_of(p.scale_shift_type))) {}

template <typename T>
void backward_batches<T>::sum(const arguments &args, const walk &how, const panel &here, const backward_batch<T> &b,
                              range rows, range columns, const column_sums<T> &to, T *s1, T *s2) const {
    const column_sums<T> sums = to.behind(columns.begin);
    const auto &kernel = how.prefetch ? kernels_->sums->prefetching : kernels_->sums->ordinary;
    kernel({.src = here[X].first,
            .diff_dst = here[DY].first,
            .src_row_stride = here[X].stride,
            .diff_dst_row_stride = here[DY].stride,
            .rows = rows.end - rows.begin,
            .count = columns.end - columns.begin,
            .mean = b.mean + rows.begin,
            .factor = b.factor + rows.begin,
            .scale = behind(args[SCALE], columns.begin * scale_size_),
            .diff_scale = sums.scale,
            .diff_shift = sums.shift,
            .s1 = s1,
            .s2 = s2,
            .prefetch = (rows.end - rows.begin) * here[X].stride});
}

template <typename T>
void backward_batches<T>::write(const arguments &args, const walk &how, const panel &here, const backward_batch<T> &b,
                                range rows, range columns) const {
    const auto &kernels = *kernels_->data;
    const auto &kernel = how.non_temporal ? kernels.non_temporal
                         : how.prefetch   ? kernels.prefetching
                                          : kernels.ordinary;
    const strip &diff_src = here[diff_src_], diff_sum = adds_ ? here[diff_src_ - 1] : strip{nullptr, 0};
    kernel({.src = here[X].first,
            .diff_dst = here[DY].first,
            .diff_sum = diff_sum.first,
            .diff_src = diff_src.first,
            .src_row_stride = here[X].stride,
            .diff_dst_row_stride = here[DY].stride,
            .diff_src_row_stride = diff_src.stride,
            .diff_sum_row_stride = diff_sum.stride,
            .rows = rows.end - rows.begin,
            .count = columns.end - columns.begin,
            .mean = b.mean + rows.begin,
            .rstd = b.rstd + rows.begin,
            .m1 = b.m1 + rows.begin,
            .k = b.k + rows.begin,
            .scale = behind(args[SCALE], columns.begin * scale_size_),
            .prefetch = (rows.end - rows.begin) * here[DY].stride});
}

template class backward_batches<float>;
template class backward_batches<double>;

} // namespace jitnorm::impl::layer_norm
