// SPDX-License-Identifier: Apache-2.0
// vector_ops: the instructions on vectors of the compute type, so that kernels name an operation and not its form for
// float or double; and the set of registers that a generator hands out.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
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
inline vmm part_of(const vmm &v, int bytes) {
    return {bytes > 32 ? Xbyak::Operand::ZMM : bytes > 16 ? Xbyak::Operand::YMM : Xbyak::Operand::XMM, v.getIdx()};
}

// The mask registers, which only AVX-512 has. Post-ops and narrowing use theirs one after the other.
enum opmask : int { TAIL_MASK = 1, NARROWING_MASK = 2, SECOND_NARROWING_MASK = 3 };
constexpr int TRACE_MASKS[] = {7, 6, 5, 4, 3};

// The registers of one piece of code. Taking a register that is not free throws std::logic_error. The registers of a
// kernel depend only on its configuration, so tests that generate every configuration find each such mistake.
class register_set {
public:
    explicit register_set(const vector_kind &kind)
        : kind_(kind), free_vectors_((uint64_t(1) << kind.registers()) - 1), free_general_(0xFFFF) {
        for (const int frame : {Xbyak::Operand::RSP, Xbyak::Operand::RBP}) take_bit(free_general_, frame);
    }

    vmm take_vector() { // the free one with the lowest number
        if (free_vectors_ == 0) throw std::logic_error("generated code needs more vector registers than there are");
        return take_vector(std::countr_zero(free_vectors_));
    }
    vmm take_vector(int index) {
        take_bit(free_vectors_, index);
        return part_of(vmm(index), kind_.bytes());
    }
    std::vector<vmm> take_vectors(int number) {
        std::vector<vmm> taken;
        while (int(taken.size()) < number) taken.push_back(take_vector());
        return taken;
    }
    reg take(const reg &general) {
        take_bit(free_general_, general.getIdx());
        return general;
    }
    void give_back(std::span<const vmm> vectors) {
        for (const vmm &v : vectors) free_vectors_ |= uint64_t(1) << v.getIdx();
    }
    void exclude(std::span<const vmm> vectors) { // which may have been taken
        for (const vmm &v : vectors) free_vectors_ &= ~(uint64_t(1) << v.getIdx());
    }

    std::vector<int> free_vectors() const { // their numbers
        std::vector<int> numbers;
        for (uint64_t left = free_vectors_; left != 0; left &= left - 1) numbers.push_back(std::countr_zero(left));
        return numbers;
    }

private:
    static void take_bit(uint64_t &free, int index) {
        const uint64_t bit = uint64_t(1) << index;
        if ((free & bit) == 0) throw std::logic_error("a register of generated code is taken twice");
        free &= ~bit;
    }

    vector_kind kind_;
    uint64_t free_vectors_, free_general_; // a bit for each number
};

class vector_ops {
public:
    vector_ops(Xbyak::CodeGenerator &g, bool for_double) : g_(g), for_double_(for_double) {}

    // Each operation with its instructions for float and double, whose operands it takes.
#define JITNORM_VECTOR_OP(name, of_float, of_double)                                                                   \
    template <typename... Operand>                                                                                     \
    void name(const Operand &...operands) const {                                                                      \
        for_double_ ? g_.of_double(operands...) : g_.of_float(operands...);                                            \
    }
    JITNORM_VECTOR_OP(load, vmovups, vmovupd)
    JITNORM_VECTOR_OP(store, vmovups, vmovupd)
    JITNORM_VECTOR_OP(store_lowest, vmovss, vmovsd)
    JITNORM_VECTOR_OP(store_non_temporal, vmovntps, vmovntpd)
    JITNORM_VECTOR_OP(add, vaddps, vaddpd)
    JITNORM_VECTOR_OP(sub, vsubps, vsubpd)
    JITNORM_VECTOR_OP(mul, vmulps, vmulpd)
    JITNORM_VECTOR_OP(div, vdivps, vdivpd)
    JITNORM_VECTOR_OP(max, vmaxps, vmaxpd)
    JITNORM_VECTOR_OP(min, vminps, vminpd)
    JITNORM_VECTOR_OP(sqrt, vsqrtps, vsqrtpd)
    JITNORM_VECTOR_OP(add_lowest, vaddss, vaddsd)
    JITNORM_VECTOR_OP(fma213, vfmadd213ps, vfmadd213pd)           // a = b * a + c
    JITNORM_VECTOR_OP(fma231, vfmadd231ps, vfmadd231pd)           // a = b * c + a
    JITNORM_VECTOR_OP(negated_fma213, vfnmadd213ps, vfnmadd213pd) // a = -(b * a) + c
    JITNORM_VECTOR_OP(negated_fma231, vfnmadd231ps, vfnmadd231pd) // a = -(b * c) + a
    JITNORM_VECTOR_OP(bit_and, vandps, vandpd)
    JITNORM_VECTOR_OP(bit_or, vorps, vorpd)
    JITNORM_VECTOR_OP(bit_xor, vxorps, vxorpd)
    JITNORM_VECTOR_OP(integer_add, vpaddd, vpaddq)
    JITNORM_VECTOR_OP(integer_sub, vpsubd, vpsubq)
    JITNORM_VECTOR_OP(shift_left, vpslld, vpsllq)
    JITNORM_VECTOR_OP(shift_right, vpsrld, vpsrlq)
    // The masks that these two make are vector registers with AVX2, mask registers with AVX-512.
    JITNORM_VECTOR_OP(compare, vcmpps, vcmppd)
    JITNORM_VECTOR_OP(integer_greater, vpcmpgtd, vpcmpgtq)
    JITNORM_VECTOR_OP(load_masked, vmaskmovps, vmaskmovpd) // AVX2, as the next two
    JITNORM_VECTOR_OP(store_masked, vmaskmovps, vmaskmovpd)
    JITNORM_VECTOR_OP(blend, vblendvps, vblendvpd)
#undef JITNORM_VECTOR_OP
    // AVX-512
    void blend(const vmm &to, const vmm &no, const vmm &yes, const Xbyak::Opmask &mask) const;

    void broadcast(const vmm &to, const Xbyak::Operand &from) const; // from memory or the lowest lane
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
