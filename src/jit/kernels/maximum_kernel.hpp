// SPDX-License-Identifier: Apache-2.0
// maximum_kernel: finds the largest magnitude in each row of floats (docs/arithmetic.md, "Scales that are found").
#pragma once

#include "../../core/memory_desc.hpp"
#include "../kernel.hpp"

namespace jitnorm::impl::jit {

struct maximum_arguments {
    const void *src;
    dim_t row_stride; // bytes
    dim_t rows;       // at least 1
    dim_t count;      // elements of each row, at least 1
    float *maxima;    // one for each row; replaced if a magnitude of the row is larger or NaN
};

using maximum_kernel = kernel<maximum_conf, maximum_arguments, float>;

} // namespace jitnorm::impl::jit
