// SPDX-License-Identifier: Apache-2.0
// backward_weights_kernel: adds up arrays of sums in double, in order, and stores the result as sums in double or as a
// gradient (docs/arithmetic.md, "Backward").
#pragma once

#include "../../core/memory_desc.hpp"
#include "../kernel.hpp"

namespace jitnorm::impl::jit {

struct backward_weights_arguments {
    const double *start; // the array to which the others are added; null: zeros
    const void *sums;    // the first array that is added; the others follow
    dim_t sums_stride;   // bytes from one array to the next
    dim_t number;        // of arrays that are added, may be 0
    dim_t count;         // elements of each array, at least 1
    void *to;            // the result; may be start
};

using backward_weights_kernel = kernel<backward_weights_conf, backward_weights_arguments, double>;

} // namespace jitnorm::impl::jit
