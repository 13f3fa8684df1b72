// SPDX-License-Identifier: Apache-2.0
// normalize_kernel: computes dst = fma(x - hi, rstd, bias), then applies scale, shift, attribute scales and post-ops,
// for rows whose statistics are known (docs/arithmetic.md, "Normalization").
#pragma once

#include "../../core/memory_desc.hpp"
#include "../kernel.hpp"

namespace jitnorm::impl::jit {

// T is the compute type.
template <typename T>
struct normalize_arguments {
    const void *src;
    void *dst;                                     // may be src
    dim_t src_row_stride, dst_row_stride;          // bytes
    dim_t rows;                                    // at least 1
    dim_t count;                                   // elements of each row, at least 1
    const T *hi, *rstd, *bias;                     // one value per row
    const void *scale = nullptr, *shift = nullptr; // `count` values each; used only if the kernel has them
    T src_scale = 1, inverse_dst_scale = 1;        // attribute scales; used only if the kernel has them
    dim_t rows_per_pass = 1;       // 2: rows go in pairs, which share the loads of scale and shift; 1: one by one
    dim_t prefetch = 0;            // how many bytes ahead of an element src is prefetched while rows go one by one
    const void *terms[2] = {};     // the rows of each input that are prefetched, as many as `rows`
    dim_t term_strides[2] = {};    // bytes
    const T *parameters = nullptr; // two for each post-op: scale and zero point of sum, alpha and beta of eltwise
    // For each row one pointer for each post-op: to the row of a binary's tensor, or to the one value for the row.
    const void *const *operands = nullptr;
    void *unquantized = nullptr; // rows of the second output; used only if the kernel writes it
    dim_t unquantized_row_stride = 0;
};

template <typename T> // float or double
using normalize_kernel = kernel<normalize_conf, normalize_arguments<T>, T>;

} // namespace jitnorm::impl::jit
