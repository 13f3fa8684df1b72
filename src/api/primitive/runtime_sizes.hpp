// SPDX-License-Identifier: Apache-2.0
// runtime_sizes: descriptors with sizes or strides that the memories of an execution tell.
#pragma once

#include "tensors.hpp"

namespace jitnorm::impl::api {

// Whether a memory with the descriptor `md`, which fits the pattern, may be in this slot of a problem with these sizes.
// The problem itself is checked by validate(), not here.
bool agrees(const memory_desc &md, const memory_desc &pattern, slot s, const layer_norm::problem &sizes);

} // namespace jitnorm::impl::api
