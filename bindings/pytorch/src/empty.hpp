// SPDX-License-Identifier: Apache-2.0
// empty: tensors for results.
#pragma once

#include <ATen/core/Tensor.h>

namespace jitnorm_torch {

// Contiguous, on the CPU, without values. Large ones ask for huge pages.
at::Tensor empty(at::IntArrayRef sizes, at::ScalarType type);

} // namespace jitnorm_torch
