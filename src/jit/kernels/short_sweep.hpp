// SPDX-License-Identifier: Apache-2.0
// short_sweep: the first sweep over rows of a few vectors. The code for each single row has no loop, and eight rows
// share the instructions that find pivots and fold lanes.
#pragma once

#include "../kernel_cache.hpp"

namespace jitnorm::impl::jit {

// The code for sweep_arguments<float> with rows of at most SHORT_SWEEP_VECTORS vectors, from the kernel cache or
// generated now.
code_ptr make_short_sweep(const sweep_conf &conf);

} // namespace jitnorm::impl::jit
