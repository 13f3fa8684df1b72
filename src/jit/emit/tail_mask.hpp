// SPDX-License-Identifier: Apache-2.0
// tail_mask: loads and stores the last, incomplete vector of a row, with elements of the compute type T, and touches no
// memory behind them. Absent elements become zero.
#pragma once

#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class tail_mask;

// AVX2: the mask is a vector in which the bits of present elements are ones. It is loaded from a table behind the code.
template <typename T>
class tail_mask<isa::avx2, T> {
    static constexpr int WIDTH = VECTOR_WIDTH<isa::avx2, T>, BYTES = vector_traits<isa::avx2>::bytes;

public:
    tail_mask(Xbyak::CodeGenerator &g, const Xbyak::Ymm &mask) : g_(g), ops_(g), mask_(mask) {}

    // Sets the mask for rows of `count` elements. Changes the registers `scratch` and `table`.
    void prepare(const Xbyak::Reg64 &count, const Xbyak::Reg64 &scratch, const Xbyak::Reg64 &table) {
        g_.mov(scratch, count);
        g_.and_(scratch, WIDTH - 1);
        g_.neg(scratch);
        g_.lea(table, g_.ptr[g_.rip + table_]);
        g_.vmovups(mask_, g_.ptr[table + scratch * int(sizeof(T)) + BYTES]);
    }
    void load(const Xbyak::Ymm &v, const Xbyak::RegExp &at) { ops_.load_masked(v, mask_, g_.ptr[at]); }
    void store(const Xbyak::RegExp &at, const Xbyak::Ymm &v) { ops_.store_masked(g_.ptr[at], mask_, v); }
    void zero_absent(const Xbyak::Ymm &v) { ops_.bit_and(v, v, mask_); }
    // Zero where elements are absent.
    void sum_of_present(const Xbyak::Ymm &sum, const Xbyak::Ymm &a, const Xbyak::Operand &b) {
        ops_.add(sum, a, b);
        zero_absent(sum);
    }

    void emit_table() {
        g_.align(BYTES);
        g_.L(table_);
        for (int byte = 0; byte < 2 * BYTES; byte += 4) g_.dd(byte < BYTES ? ~0U : 0U);
    }

private:
    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    Xbyak::Ymm mask_;
    Xbyak::Label table_;
};

// AVX-512: the mask is in the mask register k1.
template <typename T>
class tail_mask<isa::avx512, T> {
    static constexpr int WIDTH = VECTOR_WIDTH<isa::avx512, T>;

public:
    tail_mask(Xbyak::CodeGenerator &g, const Xbyak::Zmm & /* unused vector */) : g_(g), ops_(g) {}

    void prepare(const Xbyak::Reg64 &count, const Xbyak::Reg64 &scratch, const Xbyak::Reg64 &bits) {
        g_.mov(scratch, count);
        g_.and_(scratch, WIDTH - 1);
        g_.xor_(bits.cvt32(), bits.cvt32());
        g_.bts(bits, scratch);
        g_.dec(bits.cvt32());
        g_.kmovw(mask_, bits.cvt32());
    }
    void load(const Xbyak::Zmm &v, const Xbyak::RegExp &at) { ops_.load(v | mask_ | g_.T_z, g_.ptr[at]); }
    void store(const Xbyak::RegExp &at, const Xbyak::Zmm &v) { ops_.store(g_.ptr[at] | mask_, v); }
    const Xbyak::Opmask &opmask() const { return mask_; }
    void zero_absent(const Xbyak::Zmm &v) { ops_.load(v | mask_ | g_.T_z, v); }
    void sum_of_present(const Xbyak::Zmm &sum, const Xbyak::Zmm &a, const Xbyak::Operand &b) {
        ops_.add(sum | mask_ | g_.T_z, a, b);
    }
    void emit_table() {}

private:
    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    Xbyak::Opmask mask_{1};
};

} // namespace jitnorm::impl::jit
