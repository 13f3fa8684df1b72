// SPDX-License-Identifier: Apache-2.0
// addition_kernel: src + residual (+ bias), to rows that are to be normalized and to the output for the sum
// (docs/arithmetic.md, "Residual addition").
#pragma once

#include "../../core/memory_desc.hpp"
#include "../kernel.hpp"

namespace jitnorm::impl::jit {

template <typename T> // the compute type
struct addition_arguments {
    const void *src, *residual;
    const void *bias = nullptr; // `count` values; not used unless the kernel has it
    void *sum = nullptr;        // may be src or residual; not used unless the kernel writes it
    void *row;                  // may be src or residual, not sum
    dim_t src_row_stride, residual_row_stride, sum_row_stride, row_stride; // bytes
    dim_t rows;                                                            // at least 1
    dim_t count;                                                           // elements of each row, at least 1
    T *q = nullptr; // one sum of squares per row, of at most CHUNK elements; not used unless the kernel has them
};

template <typename T> // the compute type, float or double
using addition_kernel = kernel<addition_conf, addition_arguments<T>, T>;

} // namespace jitnorm::impl::jit
