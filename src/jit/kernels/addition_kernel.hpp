// SPDX-License-Identifier: Apache-2.0
// addition_kernel: computes src + residual (+ bias), and stores it as rows to normalize and to the output for the sum
// (docs/arithmetic.md, "Residual addition").
#pragma once

#include "../../core/memory_desc.hpp"
#include "../kernel.hpp"

namespace jitnorm::impl::jit {

template <typename T> // the compute type
struct addition_arguments {
    const void *src, *residual;
    const void *bias = nullptr; // `count` values; used only if the kernel has a bias
    void *sum = nullptr;        // the output; may be src or residual; used only if the kernel writes it
    void *row;                  // the rows to normalize; may be src or residual, not sum
    dim_t src_row_stride, residual_row_stride, sum_row_stride, row_stride; // bytes
    dim_t rows;                                                            // at least 1
    dim_t count;                                                           // elements of each row, at least 1
    T *q = nullptr; // one sum of squares for each row; used only if the kernel computes them: count <= CHUNK then
};

template <typename T> // the compute type, float or double
using addition_kernel = kernel<addition_conf, addition_arguments<T>, T>;

} // namespace jitnorm::impl::jit
