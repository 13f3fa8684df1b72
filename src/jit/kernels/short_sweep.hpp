// SPDX-License-Identifier: Apache-2.0
// short_sweep: the first sweep over rows so short that every lane of the sums has at most one element. Eight rows share
// the instructions that find pivots and fold lanes; the code for each single row has no loop.
#pragma once

#include "../kernel_cache.hpp"

namespace jitnorm::impl::jit {

// The code for sweep_arguments<float> with rows of at most FORWARD_LANES<float> elements, from the kernel cache or
// generated now. It uses AVX2 on every processor, because wider vectors would have to be halved before they are added.
code_ptr make_short_sweep(const sweep_conf &conf);

} // namespace jitnorm::impl::jit
