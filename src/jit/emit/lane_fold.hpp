// SPDX-License-Identifier: Apache-2.0
// lane_fold: partial sums, spread over several registers, to one number: lane l takes lane l + w for w = half of the
// lanes, a quarter, ..., 1, the order that the arithmetic defines.
#pragma once

#include <array>
#include <span>

#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

// Down to the lanes of the lower 256 bits of lanes[0]; the other registers and `scratch` are used up. The number of
// registers is a power of two.
template <isa I, typename T>
void emit_fold_to_ymm(Xbyak::CodeGenerator &g, std::span<const typename vector_traits<I>::vmm> lanes,
                      const Xbyak::Xmm &scratch) {
    const vector_ops<T> ops(g);
    for (size_t width = lanes.size() / 2; width > 0; width /= 2)
        for (size_t i = 0; i < width; ++i) ops.add(lanes[i], lanes[i], lanes[i + width]);
    if constexpr (I == isa::avx512) {
        const Xbyak::Ymm low256(lanes[0].getIdx()), high256(scratch.getIdx());
        g.vextractf64x4(high256, lanes[0], 1);
        ops.add(low256, low256, high256);
    }
}

// The sum ends up in the lowest element of lanes[0].
template <isa I, typename T>
void emit_fold(Xbyak::CodeGenerator &g, std::span<const typename vector_traits<I>::vmm> lanes,
               const Xbyak::Xmm &scratch) {
    const vector_ops<T> ops(g);
    emit_fold_to_ymm<I, T>(g, lanes, scratch);
    const Xbyak::Xmm low(lanes[0].getIdx());
    g.vextractf128(scratch, Xbyak::Ymm(lanes[0].getIdx()), 1);
    ops.add(low, low, scratch);
    g.vmovhlps(scratch, scratch, low); // the upper 64 bits: two floats or one double
    if constexpr (std::is_same_v<T, float>) {
        g.vaddps(low, low, scratch);
        g.vmovshdup(scratch, low); // lane 1
    }
    ops.add_lowest(low, low, scratch);
}

// Eight sums at once: what emit_fold_to_ymm left of each, stored one after the other at `from`, becomes a vector of
// eight floats in v[0].
inline void emit_fold_eight(Xbyak::CodeGenerator &g, const Xbyak::RegExp &from, const std::array<Xbyak::Ymm, 4> &v,
                            const Xbyak::Ymm &scratch) {
    constexpr int BYTES = 32;
    const auto load_beside = [&](const Xbyak::Ymm &to, int first, int half) { // of sums `first` and first + 4
        g.vmovups(Xbyak::Xmm(to.getIdx()), g.ptr[from + (first * BYTES + half)]);
        g.vinsertf128(to, to, g.ptr[from + ((first + 4) * BYTES + half)], 1);
    };
    for (int i = 0; i < 4; ++i) {
        load_beside(v[size_t(i)], i, 0);
        load_beside(scratch, i, BYTES / 2);
        g.vaddps(v[size_t(i)], v[size_t(i)], scratch);
    }
    for (const size_t i : {0, 2}) {
        g.vunpcklpd(scratch, v[i], v[i + 1]);
        g.vunpckhpd(v[i], v[i], v[i + 1]);
        g.vaddps(v[i], v[i], scratch);
    }
    g.vshufps(scratch, v[0], v[2], 0x88);
    g.vshufps(v[0], v[0], v[2], 0xDD);
    g.vaddps(v[0], v[0], scratch);
}

} // namespace jitnorm::impl::jit
