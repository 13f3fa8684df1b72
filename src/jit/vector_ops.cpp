// SPDX-License-Identifier: Apache-2.0
#include "vector_ops.hpp"

#include <bit>
#include <stdexcept>

namespace jitnorm::impl::jit {

namespace {

using Xbyak::Operand;

void clear_bit(uint64_t &free, int index) {
    const uint64_t bit = uint64_t(1) << index;
    if ((free & bit) == 0) throw std::logic_error("a register of generated code is taken twice");
    free &= ~bit;
}

} // namespace

vmm part_of(const vmm &v, int bytes) {
    return {bytes > 32 ? Operand::ZMM : bytes > 16 ? Operand::YMM : Operand::XMM, v.getIdx()};
}

register_set::register_set(const vector_kind &kind)
    : kind_(kind), free_vectors_((uint64_t(1) << kind.registers()) - 1), free_general_(0xFFFF) {
    for (const int frame : {Operand::RSP, Operand::RBP}) clear_bit(free_general_, frame);
}

vmm register_set::take_vector() {
    if (free_vectors_ == 0) throw std::logic_error("generated code needs more vector registers than there are");
    return take_vector(std::countr_zero(free_vectors_));
}

vmm register_set::take_vector(int index) {
    clear_bit(free_vectors_, index);
    return part_of(vmm(index), kind_.bytes());
}

std::vector<vmm> register_set::take_vectors(int number) {
    std::vector<vmm> taken;
    while (int(taken.size()) < number) taken.push_back(take_vector());
    return taken;
}

reg register_set::take(const reg &general) {
    clear_bit(free_general_, general.getIdx());
    return general;
}

void register_set::give_back(std::span<const vmm> vectors) {
    for (const vmm &v : vectors) free_vectors_ |= uint64_t(1) << v.getIdx();
}

std::vector<int> register_set::free_vectors() const {
    std::vector<int> numbers;
    for (uint64_t left = free_vectors_; left != 0; left &= left - 1) numbers.push_back(std::countr_zero(left));
    return numbers;
}

#define JITNORM_DEFINE(name, of_float, of_double)                                                                      \
    void vector_ops::name(const vmm &a, const vmm &b, const operand &c) const {                                        \
        for_double_ ? g_.of_double(a, b, c) : g_.of_float(a, b, c);                                                    \
    }
JITNORM_VECTOR_OPS(JITNORM_DEFINE)
#undef JITNORM_DEFINE
#define JITNORM_DEFINE(name, of_float, of_double)                                                                      \
    void vector_ops::name(const vmm &to, const vmm &from, uint8_t bits) const {                                        \
        for_double_ ? g_.of_double(to, from, bits) : g_.of_float(to, from, bits);                                      \
    }
JITNORM_SHIFTS(JITNORM_DEFINE)
#undef JITNORM_DEFINE
#define JITNORM_DEFINE(name, of_float, of_double)                                                                      \
    void vector_ops::name(const vmm &to, const operand &from) const {                                                  \
        for_double_ ? g_.of_double(to, from) : g_.of_float(to, from);                                                  \
    }
JITNORM_LOADS(JITNORM_DEFINE)
#undef JITNORM_DEFINE
#define JITNORM_DEFINE(name, of_float, of_double)                                                                      \
    void vector_ops::name(const address &to, const vmm &from) const {                                                  \
        for_double_ ? g_.of_double(to, from) : g_.of_float(to, from);                                                  \
    }
JITNORM_STORES(JITNORM_DEFINE)
#undef JITNORM_DEFINE

void vector_ops::broadcast(const vmm &to, const operand &from) const {
    if (!for_double_) return g_.vbroadcastss(to, from);
    to.isZMM() ? g_.vbroadcastsd(zmm_of(to), from) : g_.vbroadcastsd(ymm_of(to), from);
}

void vector_ops::load_lowest(const vmm &to, const address &from) const {
    for_double_ ? g_.vmovsd(to, from) : g_.vmovss(to, from);
}

void vector_ops::load_masked(const vmm &to, const vmm &mask, const address &from) const {
    for_double_ ? g_.vmaskmovpd(to, mask, from) : g_.vmaskmovps(to, mask, from);
}

void vector_ops::store_masked(const address &to, const vmm &mask, const vmm &from) const {
    for_double_ ? g_.vmaskmovpd(to, mask, from) : g_.vmaskmovps(to, mask, from);
}

void vector_ops::blend(const vmm &to, const vmm &no, const vmm &yes, const vmm &mask) const {
    for_double_ ? g_.vblendvpd(to, no, yes, mask) : g_.vblendvps(to, no, yes, mask);
}

void vector_ops::blend(const vmm &to, const vmm &no, const vmm &yes, const Xbyak::Opmask &mask) const {
    for_double_ ? g_.vblendmpd(to | mask, no, yes) : g_.vblendmps(to | mask, no, yes);
}

void vector_ops::compare(const vmm &mask, const vmm &a, const vmm &b, uint8_t predicate) const {
    for_double_ ? g_.vcmppd(mask, a, b, predicate) : g_.vcmpps(mask, a, b, predicate);
}

void vector_ops::compare(const Xbyak::Opmask &mask, const vmm &a, const vmm &b, uint8_t predicate) const {
    for_double_ ? g_.vcmppd(mask, a, b, predicate) : g_.vcmpps(mask, a, b, predicate);
}

void vector_ops::integer_greater(const vmm &mask, const vmm &a, const vmm &b) const {
    for_double_ ? g_.vpcmpgtq(mask, a, b) : g_.vpcmpgtd(mask, a, b);
}

void vector_ops::integer_greater(const Xbyak::Opmask &mask, const vmm &a, const vmm &b) const {
    for_double_ ? g_.vpcmpgtq(mask, a, b) : g_.vpcmpgtd(mask, a, b);
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
