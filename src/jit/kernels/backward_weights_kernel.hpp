// SPDX-License-Identifier: Apache-2.0
// backward_weights_kernel: sums of columns added up in double, in order, and stored as a wider sum or as a gradient
// (docs/arithmetic.md, "Backward").
#pragma once

#include "../../core/memory_desc.hpp"
#include "../kernel.hpp"

namespace jitnorm::impl::jit {

struct backward_weights_arguments {
    const double *start; // to begin with; null: zeros
    const void *sums;    // to be added one after the other
    dim_t sums_stride;   // bytes from one to the next
    dim_t number;        // of them, possibly 0
    dim_t count;         // elements of each, at least 1
    void *to;            // may be start
};

using backward_weights_kernel = kernel<backward_weights_conf, backward_weights_arguments, double>;

} // namespace jitnorm::impl::jit
