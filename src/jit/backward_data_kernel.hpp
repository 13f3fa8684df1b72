// SPDX-License-Identifier: Apache-2.0
// backward_data_kernel: diff_src = rstd * fma(mean - x, k, g - m1) over rows whose sums are known
// (docs/arithmetic.md, "Backward").
#pragma once

#include "../core/memory_desc.hpp"
#include "kernel.hpp"

namespace jitnorm::impl::jit {

// T is the compute type. What the kernel's configuration leaves out is not used.
template <typename T>
struct backward_data_arguments {
    const void *src, *diff_dst;
    void *diff_src;                                                 // may be diff_dst
    dim_t src_row_stride, diff_dst_row_stride, diff_src_row_stride; // bytes
    dim_t rows;                                                     // at least 1
    dim_t count;                                                    // elements of each row, at least 1
    const T *mean, *rstd, *m1, *k;                                  // one value per row
    const void *scale;                                              // `count` values
    dim_t rows_ahead;                                               // fetch the row so many on into the caches
};

template <typename T> // float or double
class backward_data_kernel : public kernel<backward_data_arguments<T>> {
public:
    // From the cache, or generated now. Throws std::system_error when executable pages are refused.
    explicit backward_data_kernel(const backward_data_conf &conf);
};

} // namespace jitnorm::impl::jit
