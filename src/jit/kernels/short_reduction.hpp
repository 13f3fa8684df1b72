// SPDX-License-Identifier: Apache-2.0
// short_reduction: the first reduction of rows of a few vectors. The code for each single row has no loop, and eight
// rows share the instructions that find pivots and add up lanes.
#pragma once

#include "../kernel_cache.hpp"

namespace jitnorm::impl::jit {

// The code for reduction_arguments<float> with rows of at most SHORT_REDUCTION_VECTORS vectors, from the kernel cache
// or generated now.
code_ptr make_short_reduction(const reduction_conf &conf);

} // namespace jitnorm::impl::jit
