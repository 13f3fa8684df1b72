// SPDX-License-Identifier: Apache-2.0
// vector_ops: the instructions on vectors of the compute type T, so that kernels name an operation and not its form for
// float or double.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../vector_traits.hpp"

namespace jitnorm::impl::jit {

template <typename T>
class vector_ops {
public:
    explicit vector_ops(Xbyak::CodeGenerator &g) : g_(g) {}

// One function for each pair of instructions, with the operands of both.
#define JITNORM_TYPED(name, for_float, for_double)                                                                     \
    template <typename... Operands>                                                                                    \
    void name(const Operands &...operands) const {                                                                     \
        if constexpr (std::is_same_v<T, float>)                                                                        \
            g_.for_float(operands...);                                                                                 \
        else                                                                                                           \
            g_.for_double(operands...);                                                                                \
    }

    JITNORM_TYPED(load, vmovups, vmovupd)
    JITNORM_TYPED(store, vmovups, vmovupd)
    JITNORM_TYPED(store_non_temporal, vmovntps, vmovntpd)
    JITNORM_TYPED(load_lowest, vmovss, vmovsd)
    JITNORM_TYPED(store_lowest, vmovss, vmovsd)
    JITNORM_TYPED(broadcast, vbroadcastss, vbroadcastsd)
    JITNORM_TYPED(load_masked, vmaskmovps, vmaskmovpd)  // AVX2 only
    JITNORM_TYPED(store_masked, vmaskmovps, vmaskmovpd) // AVX2 only

    JITNORM_TYPED(add, vaddps, vaddpd)
    JITNORM_TYPED(sub, vsubps, vsubpd)
    JITNORM_TYPED(mul, vmulps, vmulpd)
    JITNORM_TYPED(div, vdivps, vdivpd)
    JITNORM_TYPED(sqrt, vsqrtps, vsqrtpd)
    JITNORM_TYPED(max, vmaxps, vmaxpd)
    JITNORM_TYPED(min, vminps, vminpd)
    JITNORM_TYPED(add_lowest, vaddss, vaddsd)
    JITNORM_TYPED(fma132, vfmadd132ps, vfmadd132pd)           // a = a * c + b
    JITNORM_TYPED(fma213, vfmadd213ps, vfmadd213pd)           // a = b * a + c
    JITNORM_TYPED(fma231, vfmadd231ps, vfmadd231pd)           // a = b * c + a
    JITNORM_TYPED(negated_fma213, vfnmadd213ps, vfnmadd213pd) // a = -(b * a) + c
    JITNORM_TYPED(negated_fma132, vfnmadd132ps, vfnmadd132pd) // a = -(a * c) + b
    JITNORM_TYPED(negated_fma231, vfnmadd231ps, vfnmadd231pd) // a = -(b * c) + a
    JITNORM_TYPED(compare, vcmpps, vcmppd)
    JITNORM_TYPED(blend, vblendvps, vblendvpd) // AVX2 only

    JITNORM_TYPED(blend_masked, vblendmps, vblendmpd) // AVX-512 only

    // Bits.
    JITNORM_TYPED(bit_and, vandps, vandpd)
    JITNORM_TYPED(bit_or, vorps, vorpd)
    JITNORM_TYPED(bit_xor, vxorps, vxorpd)
    JITNORM_TYPED(integer_add, vpaddd, vpaddq)
    JITNORM_TYPED(integer_sub, vpsubd, vpsubq)
    JITNORM_TYPED(integer_greater, vpcmpgtd, vpcmpgtq)
    JITNORM_TYPED(shift_left, vpslld, vpsllq)
    JITNORM_TYPED(shift_right, vpsrld, vpsrlq)
#undef JITNORM_TYPED

    template <typename Vector>
    void clear(const Vector &v) const {
        g_.vxorps(v, v, v);
    }

    // By way of a general register.
    template <typename Vector>
    void broadcast_number(const Vector &v, T value, const Xbyak::Reg64 &scratch) const {
        const Xbyak::Xmm lowest(v.getIdx());
        if constexpr (std::is_same_v<T, float>) {
            g_.mov(scratch.cvt32(), std::bit_cast<uint32_t>(value));
            g_.vmovd(lowest, scratch.cvt32());
        } else {
            g_.mov(scratch, std::bit_cast<uint64_t>(value));
            g_.vmovq(lowest, scratch);
        }
        broadcast(v, lowest);
    }

private:
    Xbyak::CodeGenerator &g_;
};

} // namespace jitnorm::impl::jit
