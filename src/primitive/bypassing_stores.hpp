// SPDX-License-Identifier: Apache-2.0
// bypassing_stores: stores that bypass the caches reach other threads in no order until a fence. A fence waits for
// memory, so there is one at the end of a thread's work and none in a kernel.
#pragma once

#include <xmmintrin.h>

namespace jitnorm::impl::layer_norm {

inline void finish_bypassing_stores(bool there_were_some) {
    if (there_were_some) _mm_sfence();
}

} // namespace jitnorm::impl::layer_norm
