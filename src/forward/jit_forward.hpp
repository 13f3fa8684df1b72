// SPDX-License-Identifier: Apache-2.0
// jit_forward: forward on generated kernels: every layout, data type and post-op.
#pragma once

#include "../core/implementation.hpp"

namespace jitnorm::impl::layer_norm {

extern const implementation jit_avx512_forward; // "jit:avx512"
extern const implementation jit_avx2_forward;   // "jit:avx2"

} // namespace jitnorm::impl::layer_norm
