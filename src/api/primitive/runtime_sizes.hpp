// SPDX-License-Identifier: Apache-2.0
// runtime_sizes: descriptors whose sizes or strides are known at execution only, and the memories that tell them.
#pragma once

#include "tensors.hpp"

namespace jitnorm::impl::api {

// The descriptor in the problem that the slot's memory decides; null where the problem has none, as for scale.
memory_desc *described_by(slot s, layer_norm::problem &p);

// Whether the slot's memory, which fits the pattern, belongs to a problem of these sizes. What validate() says of the
// problem itself is not asked here.
bool agrees(const memory_desc &md, const memory_desc &pattern, slot s, const layer_norm::problem &sizes);

} // namespace jitnorm::impl::api
