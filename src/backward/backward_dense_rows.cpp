// SPDX-License-Identifier: Apache-2.0
#include "backward_dense_rows.hpp"

#include <cstdint>

namespace jitnorm::impl::layer_norm {

namespace {

constexpr int SRC_ROWS = 0, DIFF_DST_ROWS = 1, DIFF_SRC_ROWS = 2, STATISTICS = 3; // tensors of the row space

row_space space_of(const problem &p) {
    const memory_desc *tensors[] = {&p.src, &p.diff_dst, p.wants_diff_src() ? &p.diff_src : &p.diff_dst, &p.statistics};
    return {tensors, p.row_ndims()};
}

dim_t size_in(const memory_desc &md) { return dim_t(size_of(md.data_type)); }

} // namespace

bool backward_dense_rows::takes(const problem &p) {
    const auto is_dense = [&](const memory_desc &md) { return has_dense_rows(md, p.row_ndims()); };
    return is_dense(p.src) && is_dense(p.diff_dst) && (!p.wants_diff_src() || is_dense(p.diff_src)) &&
           p.statistics.inner_nblks == 0;
}

backward_dense_rows::backward_dense_rows(const problem &p)
    : space_(space_of(p)), columns_(p.row_length()), src_size_(size_in(p.src)), diff_dst_size_(size_in(p.diff_dst)),
      diff_src_size_(size_in(p.diff_src)), src_stride_(space_.stride(SRC_ROWS) * src_size_),
      diff_dst_stride_(space_.stride(DIFF_DST_ROWS) * diff_dst_size_),
      diff_src_stride_(space_.stride(DIFF_SRC_ROWS) * diff_src_size_), statistics_size_(size_in(p.statistics)),
      statistics_stride_(space_.stride(STATISTICS)), diff_src_offset_(p.diff_src.offset0 * diff_src_size_),
      in_lines_(impl::has_rows_in_lines(p.diff_src, p.row_ndims())) {}

bool backward_dense_rows::has_rows_in_lines(const void *diff_src) const {
    const uintptr_t first = reinterpret_cast<uintptr_t>(diff_src) + uintptr_t(diff_src_offset_);
    return in_lines_ && first % CACHE_LINE == 0;
}

void backward_dense_rows::session::move_to(const row_space::run &run, dim_t row) {
    const auto place = [&](auto *tensor, int index, dim_t size, dim_t stride) {
        return tensor == nullptr ? nullptr : tensor + run.offset[size_t(index)] * size + row * stride;
    };
    const auto *src = static_cast<const std::byte *>(args_[SRC]);
    const auto *diff_dst = static_cast<const std::byte *>(args_[DIFF_DST]);
    auto *diff_src = static_cast<std::byte *>(args_[DIFF_SRC]);
    first_ = {place(src, SRC_ROWS, rows_.src_size_, rows_.src_stride_),
              place(diff_dst, DIFF_DST_ROWS, rows_.diff_dst_size_, rows_.diff_dst_stride_),
              place(diff_src, DIFF_SRC_ROWS, rows_.diff_src_size_, rows_.diff_src_stride_),
              rows_.src_stride_,
              rows_.diff_dst_stride_,
              rows_.diff_src_stride_};
    const auto statistic = [&](const void *values) {
        return place(static_cast<const std::byte *>(values), STATISTICS, rows_.statistics_size_,
                     rows_.statistics_stride_ * rows_.statistics_size_);
    };
    mean_ = statistic(args_[MEAN]);
    variance_ = statistic(args_[VARIANCE]);
}

} // namespace jitnorm::impl::layer_norm
