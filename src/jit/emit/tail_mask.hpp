// SPDX-License-Identifier: Apache-2.0
// tail_mask: the last, incomplete vector of a row: loads and stores that touch its elements only. Absent elements load
// as zero.
#pragma once

#include "../vector_traits.hpp"

namespace jitnorm::impl::jit {

template <isa I>
class tail_mask;

// AVX2: a vector of all-ones words cut from a table in the code.
template <>
class tail_mask<isa::avx2> {
public:
    tail_mask(Xbyak::CodeGenerator &g, const Xbyak::Ymm &mask) : g_(g), mask_(mask) {}

    // For rows of `count` elements; uses two scratch registers.
    void prepare(const Xbyak::Reg64 &count, const Xbyak::Reg64 &scratch, const Xbyak::Reg64 &table) {
        g_.mov(scratch, count);
        g_.and_(scratch, 7);
        g_.neg(scratch);
        g_.lea(table, g_.ptr[g_.rip + table_]);
        g_.vmovups(mask_, g_.ptr[table + scratch * 4 + 32]);
    }
    void load(const Xbyak::Ymm &v, const Xbyak::RegExp &at) { g_.vmaskmovps(v, mask_, g_.ptr[at]); }
    void store(const Xbyak::RegExp &at, const Xbyak::Ymm &v) { g_.vmaskmovps(g_.ptr[at], mask_, v); }
    void zero_absent(const Xbyak::Ymm &v) { g_.vandps(v, v, mask_); }

    void emit_table() {
        g_.align(32);
        g_.L(table_);
        for (int i = 0; i < 16; ++i) g_.dd(i < 8 ? ~0U : 0U);
    }

private:
    Xbyak::CodeGenerator &g_;
    Xbyak::Ymm mask_;
    Xbyak::Label table_;
};

// AVX-512: a mask register, k1.
template <>
class tail_mask<isa::avx512> {
public:
    tail_mask(Xbyak::CodeGenerator &g, const Xbyak::Zmm & /* unused vector */) : g_(g) {}

    void prepare(const Xbyak::Reg64 &count, const Xbyak::Reg64 &scratch, const Xbyak::Reg64 &bits) {
        g_.mov(scratch, count);
        g_.and_(scratch, 15);
        g_.xor_(bits.cvt32(), bits.cvt32());
        g_.bts(bits, scratch);
        g_.dec(bits.cvt32());
        g_.kmovw(mask_, bits.cvt32());
    }
    void load(const Xbyak::Zmm &v, const Xbyak::RegExp &at) { g_.vmovups(v | mask_ | g_.T_z, g_.ptr[at]); }
    void store(const Xbyak::RegExp &at, const Xbyak::Zmm &v) { g_.vmovups(g_.ptr[at] | mask_, v); }
    const Xbyak::Opmask &opmask() const { return mask_; }
    void zero_absent(const Xbyak::Zmm &v) { g_.vmovaps(v | mask_ | g_.T_z, v); }
    void emit_table() {}

private:
    Xbyak::CodeGenerator &g_;
    Xbyak::Opmask mask_{1};
};

} // namespace jitnorm::impl::jit
