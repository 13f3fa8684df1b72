// SPDX-License-Identifier: Apache-2.0
// backward_sums_kernel: computes all sums of backward in one sweep over at most CHUNK elements of each row: the two
// sums of each row, and the sums over columns for the gradients of scale and shift (docs/arithmetic.md, "Backward").
#pragma once

#include "../../arithmetic/constants.hpp"
#include "../kernel.hpp"

namespace jitnorm::impl::jit {

// T is the compute type. Arguments that the kernel's configuration does not need are not read.
template <typename T>
struct backward_sums_arguments {
    const void *src, *diff_dst;
    dim_t src_row_stride, diff_dst_row_stride;      // bytes
    dim_t rows;                                     // at least 1
    dim_t count;                                    // elements of each row, 1 .. CHUNK
    const T *mean = nullptr;                        // one value per row
    const T *factor = nullptr;                      // one value per row: rstd, negative if the kernel is centered
    const void *scale = nullptr;                    // `count` values
    T *diff_scale = nullptr, *diff_shift = nullptr; // `count` sums each, to which the rows are added in order
    T *s1 = nullptr, *s2 = nullptr;                 // one sum per row: of g, and of g * xhat
    dim_t prefetch = 0;                             // how many bytes ahead of an element src is prefetched
};

template <typename T> // float or double
using backward_sums_kernel = kernel<backward_sums_conf, backward_sums_arguments<T>, T>;

} // namespace jitnorm::impl::jit
