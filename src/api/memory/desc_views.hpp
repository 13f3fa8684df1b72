// SPDX-License-Identifier: Apache-2.0
// desc_views: makes descriptors of the same elements, or of some of them, from a descriptor. jitnorm_memory.h has the
// rules. `result` is set on success alone.
#pragma once

#include "../../base/boundary.hpp"
#include "../../tensor/memory_desc.hpp"

namespace jitnorm::impl::api {

status part_of(const memory_desc &parent, const dim_t *dims, const dim_t *offsets, memory_desc &result);
status reshaped(const memory_desc &md, int ndims, const dim_t *dims, memory_desc &result);
status permuted(const memory_desc &md, const int *permutation, memory_desc &result);

} // namespace jitnorm::impl::api
