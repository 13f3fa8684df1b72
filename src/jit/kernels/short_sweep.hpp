// SPDX-License-Identifier: Apache-2.0
// short_sweep: the first sweep over rows so short that every lane of the sums has one element at the most. Eight rows
// share the instructions for their pivots and their folds; what is left for each row is straight code.
#pragma once

#include "../kernel_cache.hpp"

namespace jitnorm::impl::jit {

// From the cache, or generated now: code for sweep_arguments<float>, with rows of at most FORWARD_LANES<float>
// elements. AVX2 whatever the processor: wider vectors would have to be halved before they are added.
code_ptr make_short_sweep(const sweep_conf &conf);

} // namespace jitnorm::impl::jit
