// SPDX-License-Identifier: Apache-2.0
#include "vector_ops.hpp"

#include <bit>

namespace jitnorm::impl::jit {

void vector_ops::broadcast(const vmm &to, const Xbyak::Operand &from) const {
    if (!for_double_) return g_.vbroadcastss(to, from);
    to.isZMM() ? g_.vbroadcastsd(zmm_of(to), from) : g_.vbroadcastsd(ymm_of(to), from);
}

void vector_ops::blend(const vmm &to, const vmm &no, const vmm &yes, const Xbyak::Opmask &mask) const {
    for_double_ ? g_.vblendmpd(to | mask, no, yes) : g_.vblendmps(to | mask, no, yes);
}

uint64_t vector_ops::bits_of(double number) const {
    return for_double_ ? std::bit_cast<uint64_t>(number) : std::bit_cast<uint32_t>(float(number));
}

void vector_ops::broadcast_bits(const vmm &v, uint64_t bits, const reg &scratch) const {
    if (for_double_) {
        g_.mov(scratch, bits);
        g_.vmovq(xmm_of(v), scratch);
    } else {
        g_.mov(scratch.cvt32(), uint32_t(bits));
        g_.vmovd(xmm_of(v), scratch.cvt32());
    }
    broadcast(v, xmm_of(v));
}

} // namespace jitnorm::impl::jit
