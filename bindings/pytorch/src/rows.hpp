// SPDX-License-Identifier: Apache-2.0
// rows: the rows of tensors of one shape, as a primitive sees them: a few dimensions that count rows, then one
// dimension of columns. Neighbouring dimensions become one dimension if the strides of all tensors allow it.
#pragma once

#include <ATen/core/Tensor.h>

namespace jitnorm_torch {

struct rows {
    static constexpr int MAX_DIMS = 5, MAX_TENSORS = 6;

    int64_t ndims = 0;
    int64_t dims[MAX_DIMS] = {};
    int64_t strides[MAX_TENSORS][MAX_DIMS] = {}; // in elements, for each tensor

    int64_t columns() const { return dims[ndims - 1]; }
    int64_t elements() const { return c10::multiply_integers(dims, dims + ndims); }
};

// Finds the rows of tensors whose last `normalized` dimensions are the columns. False if the columns need more than one
// dimension or all need more than MAX_DIMS; then `found` is incomplete.
bool find_rows(at::ArrayRef<const at::Tensor *> tensors, int64_t normalized, rows &found);

} // namespace jitnorm_torch
