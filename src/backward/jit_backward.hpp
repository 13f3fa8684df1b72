// SPDX-License-Identifier: Apache-2.0
// jit_backward: backward on generated kernels: every problem.
#pragma once

#include "../core/implementation.hpp"

namespace jitnorm::impl::layer_norm {

extern const implementation jit_avx512_backward; // "jit:avx512"
extern const implementation jit_avx2_backward;   // "jit:avx2"

} // namespace jitnorm::impl::layer_norm
