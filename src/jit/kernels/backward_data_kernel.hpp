// SPDX-License-Identifier: Apache-2.0
// backward_data_kernel: computes diff_src = rstd * fma(mean - x, k, g - m1), + diff_sum, for rows whose sums are known
// (docs/arithmetic.md, "Backward").
#pragma once

#include "../../core/memory_desc.hpp"
#include "../kernel.hpp"

namespace jitnorm::impl::jit {

// T is the compute type. Arguments that the kernel's configuration does not need are not read.
template <typename T>
struct backward_data_arguments {
    const void *src, *diff_dst;
    const void *diff_sum = nullptr;
    void *diff_src;                                                 // may be diff_dst or diff_sum
    dim_t src_row_stride, diff_dst_row_stride, diff_src_row_stride; // bytes
    dim_t diff_sum_row_stride = 0;
    dim_t rows;                                                  // at least 1
    dim_t count;                                                 // elements of each row, at least 1
    const T *mean = nullptr, *rstd, *m1 = nullptr, *k = nullptr; // one value per row
    const void *scale = nullptr;                                 // `count` values
    dim_t prefetch = 0; // how many bytes ahead of an element diff_dst is prefetched
};

template <typename T> // float or double
using backward_data_kernel = kernel<backward_data_conf, backward_data_arguments<T>, T>;

} // namespace jitnorm::impl::jit
