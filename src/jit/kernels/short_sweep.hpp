// SPDX-License-Identifier: Apache-2.0
// short_sweep: the first sweep over rows of a few vectors. Each row is straight code for its number of vectors, and
// eight rows share the instructions for their pivots and their folds.
#pragma once

#include "../kernel_cache.hpp"

namespace jitnorm::impl::jit {

// From the cache, or generated now: code for sweep_arguments<float>, with rows of at most
// SHORT_SWEEP_VECTORS vectors.
code_ptr make_short_sweep(const sweep_conf &conf);

} // namespace jitnorm::impl::jit
