// SPDX-License-Identifier: Apache-2.0
// lane_fold: FORWARD_LANES partial sums, spread over several registers, to one number: lanes l and l + 16, + 8, + 4, +
// 2,
// + 1, the order that the arithmetic defines.
#pragma once

#include <span>

#include "../vector_traits.hpp"

namespace jitnorm::impl::jit {

// The sum ends up in the lowest element of lanes[0]; the other registers and `scratch` are used up.
template <isa I>
void emit_fold(Xbyak::CodeGenerator &g, std::span<const typename vector_traits<I>::vmm> lanes,
               const Xbyak::Xmm &scratch) {
    for (size_t width = lanes.size() / 2; width > 0; width /= 2)
        for (size_t i = 0; i < width; ++i) g.vaddps(lanes[i], lanes[i], lanes[i + width]);
    const Xbyak::Xmm low(lanes[0].getIdx());
    const Xbyak::Ymm low256(lanes[0].getIdx());
    if constexpr (I == isa::avx512) {
        const Xbyak::Ymm high256(scratch.getIdx());
        g.vextractf64x4(high256, lanes[0], 1);
        g.vaddps(low256, low256, high256);
    }
    g.vextractf128(scratch, low256, 1);
    g.vaddps(low, low, scratch);
    g.vmovhlps(scratch, scratch, low); // lanes 2 and 3
    g.vaddps(low, low, scratch);
    g.vmovshdup(scratch, low); // lane 1
    g.vaddss(low, low, scratch);
}

} // namespace jitnorm::impl::jit
