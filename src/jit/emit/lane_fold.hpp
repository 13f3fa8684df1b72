// SPDX-License-Identifier: Apache-2.0
// lane_fold: partial sums, spread over several registers, to one number: lane l takes lane l + w for w = half of the
// lanes, a quarter, ..., 1, the order that the arithmetic defines.
#pragma once

#include <span>

#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

// The sum ends up in the lowest element of lanes[0]; the other registers and `scratch` are used up. The number of
// registers is a power of two.
template <isa I, typename T>
void emit_fold(Xbyak::CodeGenerator &g, std::span<const typename vector_traits<I>::vmm> lanes,
               const Xbyak::Xmm &scratch) {
    const vector_ops<T> ops(g);
    for (size_t width = lanes.size() / 2; width > 0; width /= 2)
        for (size_t i = 0; i < width; ++i) ops.add(lanes[i], lanes[i], lanes[i + width]);
    const Xbyak::Xmm low(lanes[0].getIdx());
    const Xbyak::Ymm low256(lanes[0].getIdx());
    if constexpr (I == isa::avx512) {
        const Xbyak::Ymm high256(scratch.getIdx());
        g.vextractf64x4(high256, lanes[0], 1);
        ops.add(low256, low256, high256);
    }
    g.vextractf128(scratch, low256, 1);
    ops.add(low, low, scratch);
    g.vmovhlps(scratch, scratch, low); // the upper 64 bits: two floats or one double
    if constexpr (std::is_same_v<T, float>) {
        g.vaddps(low, low, scratch);
        g.vmovshdup(scratch, low); // lane 1
    }
    ops.add_lowest(low, low, scratch);
}

} // namespace jitnorm::impl::jit
