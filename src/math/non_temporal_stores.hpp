// SPDX-License-Identifier: Apache-2.0
// non_temporal_stores: the fence behind non-temporal stores. Other threads may see such stores in any order until a
// fence. A fence waits for memory, so there is one at the end of a thread's work and none in a kernel.
#pragma once

#include <xmmintrin.h>

namespace jitnorm::impl::layer_norm {

inline void finish_non_temporal_stores(bool there_were_some) {
    if (there_were_some) _mm_sfence();
}

} // namespace jitnorm::impl::layer_norm
