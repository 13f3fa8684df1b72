// SPDX-License-Identifier: Apache-2.0
// empty: makes tensors for results.
#pragma once

#include <ATen/core/Tensor.h>

namespace jitnorm_torch {

// A contiguous tensor on the CPU whose elements are not set. A large one asks the system for huge pages.
at::Tensor empty(at::IntArrayRef sizes, at::ScalarType type);

} // namespace jitnorm_torch
