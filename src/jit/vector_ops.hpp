// SPDX-License-Identifier: Apache-2.0
// vector_ops: the instructions on vectors of the compute type, so that kernels name an operation and not its form for
// float or double; and the set of registers that a generator hands out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <xbyak/xbyak.h>

#include "isa.hpp"

namespace jitnorm::impl::jit {

using reg = Xbyak::Reg64;
using vmm = Xbyak::Xmm; // a vector register of any size

inline Xbyak::Xmm xmm_of(const vmm &v) { return Xbyak::Xmm(v.getIdx()); }
inline Xbyak::Ymm ymm_of(const vmm &v) { return Xbyak::Ymm(v.getIdx()); }
inline Xbyak::Zmm zmm_of(const vmm &v) { return Xbyak::Zmm(v.getIdx()); }

// The lowest bytes of a register: its xmm, ymm or zmm register, whichever is the smallest that holds them.
vmm part_of(const vmm &v, int bytes);

// The mask registers, which only AVX-512 has. Post-ops and narrowing use theirs one after the other.
enum opmask : int { TAIL_MASK = 1, NARROWING_MASK = 2, SECOND_NARROWING_MASK = 3 };
constexpr int TRACE_MASKS[] = {7, 6, 5, 4, 3};

// The registers of one piece of code. Taking a register that is not free throws std::logic_error. The registers of a
// kernel depend only on its configuration, so tests that generate every configuration find each such mistake.
class register_set {
public:
    explicit register_set(const vector_kind &kind);

    vmm take_vector(); // the free one with the lowest number
    vmm take_vector(int index);
    std::vector<vmm> take_vectors(int number);
    reg take(const reg &general);
    void give_back(std::span<const vmm> vectors);

    std::vector<int> free_vectors() const; // their numbers

private:
    vector_kind kind_;
    uint64_t free_vectors_, free_general_; // a bit for each number
};

// Each operation with its instructions for float and double, by the operands that they take.
#define JITNORM_VECTOR_OPS(op)                                                                                         \
    op(add, vaddps, vaddpd) op(sub, vsubps, vsubpd) op(mul, vmulps, vmulpd) op(div, vdivps, vdivpd)                    \
        op(max, vmaxps, vmaxpd) op(min, vminps, vminpd) op(add_lowest, vaddss, vaddsd)                                 \
            op(fma132, vfmadd132ps, vfmadd132pd)       /* a = a * c + b */                                             \
        op(fma213, vfmadd213ps, vfmadd213pd)           /* a = b * a + c */                                             \
        op(fma231, vfmadd231ps, vfmadd231pd)           /* a = b * c + a */                                             \
        op(negated_fma213, vfnmadd213ps, vfnmadd213pd) /* a = -(b * a) + c */                                          \
        op(negated_fma132, vfnmadd132ps, vfnmadd132pd) /* a = -(a * c) + b */                                          \
        op(negated_fma231, vfnmadd231ps, vfnmadd231pd) /* a = -(b * c) + a */                                          \
        op(bit_and, vandps, vandpd) op(bit_or, vorps, vorpd) op(bit_xor, vxorps, vxorpd)                               \
            op(integer_add, vpaddd, vpaddq) op(integer_sub, vpsubd, vpsubq)
#define JITNORM_SHIFTS(op) op(shift_left, vpslld, vpsllq) op(shift_right, vpsrld, vpsrlq)
#define JITNORM_LOADS(op) op(load, vmovups, vmovupd) op(sqrt, vsqrtps, vsqrtpd)
#define JITNORM_STORES(op)                                                                                             \
    op(store, vmovups, vmovupd) op(store_non_temporal, vmovntps, vmovntpd) op(store_lowest, vmovss, vmovsd)

class vector_ops {
    using address = Xbyak::Address;
    using operand = Xbyak::Operand;

public:
    vector_ops(Xbyak::CodeGenerator &g, bool for_double) : g_(g), for_double_(for_double) {}

#define JITNORM_DECLARE(name, for_float, for_double) void name(const vmm &a, const vmm &b, const operand &c) const;
    JITNORM_VECTOR_OPS(JITNORM_DECLARE)
#undef JITNORM_DECLARE
#define JITNORM_DECLARE(name, for_float, for_double) void name(const vmm &to, const vmm &from, uint8_t bits) const;
    JITNORM_SHIFTS(JITNORM_DECLARE)
#undef JITNORM_DECLARE
#define JITNORM_DECLARE(name, for_float, for_double) void name(const vmm &to, const operand &from) const;
    JITNORM_LOADS(JITNORM_DECLARE)
#undef JITNORM_DECLARE
#define JITNORM_DECLARE(name, for_float, for_double) void name(const address &to, const vmm &from) const;
    JITNORM_STORES(JITNORM_DECLARE)
#undef JITNORM_DECLARE

    void broadcast(const vmm &to, const operand &from) const; // from memory or the lowest lane
    void load_lowest(const vmm &to, const address &from) const;
    // AVX2: masks are vector registers.
    void load_masked(const vmm &to, const vmm &mask, const address &from) const;
    void store_masked(const address &to, const vmm &mask, const vmm &from) const;
    void blend(const vmm &to, const vmm &no, const vmm &yes, const vmm &mask) const;
    void compare(const vmm &mask, const vmm &a, const vmm &b, uint8_t predicate) const;
    void integer_greater(const vmm &mask, const vmm &a, const vmm &b) const;
    // AVX-512: masks are mask registers.
    void blend(const vmm &to, const vmm &no, const vmm &yes, const Xbyak::Opmask &mask) const;
    void compare(const Xbyak::Opmask &mask, const vmm &a, const vmm &b, uint8_t predicate) const;
    void integer_greater(const Xbyak::Opmask &mask, const vmm &a, const vmm &b) const;

    void clear(const vmm &v) const { g_.vxorps(v, v, v); }

    uint64_t bits_of(double number) const; // the bits of the number as a float or double
    // By way of a general register.
    void broadcast_bits(const vmm &v, uint64_t bits, const reg &scratch) const;
    void broadcast_number(const vmm &v, double number, const reg &scratch) const {
        broadcast_bits(v, bits_of(number), scratch);
    }

private:
    Xbyak::CodeGenerator &g_;
    bool for_double_;
};

} // namespace jitnorm::impl::jit
