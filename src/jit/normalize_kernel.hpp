// SPDX-License-Identifier: Apache-2.0
// normalize_kernel: dst = fma(x - hi, rstd, bias), then scale, shift, attribute scales and post-ops, over rows whose
// statistics are known (docs/arithmetic.md, "Normalization").
#pragma once

#include "../core/memory_desc.hpp"
#include "kernel.hpp"

namespace jitnorm::impl::jit {

// T is the compute type.
template <typename T>
struct normalize_arguments {
    const void *src;
    void *dst;                            // may be src
    dim_t src_row_stride, dst_row_stride; // bytes
    dim_t rows;                           // at least 1
    dim_t count;                          // elements of each row, at least 1
    const T *hi, *rstd, *bias;            // one value per row
    const void *scale, *shift;            // `count` values each; not used unless the kernel has them
    T src_scale, inverse_dst_scale;       // of the tensors; not used unless the kernel has them
    dim_t rows_per_pass;                  // 2: rows in pairs that share the loads of scale and shift; 1: one by one
    dim_t prefetch;                       // bytes ahead of each row to prefetch while rows go one by one
    const T *parameters;                  // two per post-op: scale and zero point of sum, alpha and beta of eltwise
    const void *const *operands; // for each row one per post-op: its row of a binary's tensor, or its one value
};

template <typename T> // float or double
class normalize_kernel : public kernel<normalize_arguments<T>> {
public:
    // From the cache, or generated now. Throws std::system_error when executable pages are refused.
    explicit normalize_kernel(const normalize_conf &conf);
};

} // namespace jitnorm::impl::jit
