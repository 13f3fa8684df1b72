// SPDX-License-Identifier: Apache-2.0
// narrowing: converts vectors of the compute type to elements of a narrower type, dense at the bottom of a register.
// docs/arithmetic.md, "Notation", defines the conversions. bf16 is rounded by integer instructions, or by AVX512_BF16
// if the processor has it. AVX512_BF16 takes denormal numbers for zeros, so a detour rounds vectors with denormal
// numbers by integer instructions. Two vectors that one instruction packs share this test. Pairs in unpack order
// (element_io.hpp) are in plain order afterwards.
#pragma once

#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "../../math/convert.hpp"
#include "../kernel_generator.hpp"

namespace jitnorm::impl::jit {

class narrowing {
    static constexpr uint8_t MIDDLE_QUARTERS = 0b11011000; // exchanges quarters 1 and 2 of a ymm register
    static constexpr uint8_t DENORMAL = 0x20;              // the class of denormal numbers in vfpclassps
    static constexpr uint8_t NEAREST_EVEN = 0;             // the rounding of vcvtps2ph

public:
    // Changes the two registers `work`. Without any it emits no conversion that needs them.
    narrowing(kernel_generator &g, std::vector<vmm> work, bool avx512_bf16 = has_avx512_bf16())
        : g_(g), work_(std::move(work)), avx512_bf16_(avx512_bf16) {}

    // Converts the elements of v in place.
    void one(const vmm &v, jitnorm_data_type_t type) {
        if (is_byte(type)) return to_bytes(v, v, type);
        const vmm f = floats(v);
        if (g_.kind.is_f64()) g_.vcvtpd2ps(f, v);
        if (type == jitnorm_bf16) to_bf16(f, f);
        if (type == jitnorm_f16) g_.vcvtps2ph(shorts(v), f, NEAREST_EVEN);
    }

    // Whether two() takes fewer instructions than two conversions of one vector.
    static bool joins_two(const vector_kind &kind, jitnorm_data_type_t type) {
        return !kind.is_f64() && (is_byte(type) || type == jitnorm_bf16);
    }

    // Converts the elements of v, then of `next`, to v; changes `next`. The vectors may be a pair in unpack order.
    // They must be results of arithmetic, so that no NaN among them is a signaling one.
    void two(const vmm &v, const vmm &next, jitnorm_data_type_t type, bool in_unpack_order = false) {
        if (is_byte(type)) return to_bytes(v, next, type, in_unpack_order);
        if (g_.kind.is_avx512()) return to_bf16(v, next);
        two_to_bf16_words(v, next);
        if (!in_unpack_order) g_.vpermq(ymm_of(v), v, MIDDLE_QUARTERS);
    }

    // Converts the elements of four vectors of floats to bytes (s8, u8, f8), which are in v[0] afterwards; changes the
    // others. After rounding no number is further from zero than the largest one of `type`; for s8 and u8 none is a
    // NaN.
    void four_in_range(const std::array<vmm, 4> &v, jitnorm_data_type_t type) {
        for (const vmm &x : v) is_f8(type) ? to_f8(x, type) : to_integers(x);
        for (const size_t i : {size_t(0), size_t(2)}) g_.vpackssdw(v[i], v[i], v[i + 1]);
        type == jitnorm_s8 ? g_.vpacksswb(v[0], v[0], v[2]) : g_.vpackuswb(v[0], v[0], v[2]);
        permute_doublewords(v[0], {0, 4, 1, 5, 2, 6, 3, 7}, {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
    }

    // Rounds the elements of v to those that the type has, as one() and the conversion back would.
    void round(const vmm &v, jitnorm_data_type_t type) {
        const vmm f = floats(v);
        if (type != jitnorm_bf16) return round_normalized(v, v, type);
        if (g_.kind.is_f64()) g_.vcvtpd2ps(f, v);
        round_bf16_bits(f);
        g_.vpslld(f, f, 16);
        if (g_.kind.is_f64()) g_.vcvtps2pd(v, f);
    }

    // to = the elements of v as round_normalized() rounds them (convert.hpp); `to` may be v. Changes work register 0.
    void round_normalized(const vmm &to, const vmm &v, jitnorm_data_type_t type) {
        const vmm f = floats(to), x = g_.kind.is_f64() ? f : v;
        if (g_.kind.is_f64()) g_.vcvtpd2ps(f, v);
        if (type == jitnorm_bf16) {
            const vmm larger = floats(work_.at(0));
            g_.vmulps(larger, x, every(std::bit_cast<uint32_t>(BF16_SPLITTER)));
            g_.vsubps(f, larger, x);
            g_.vsubps(f, larger, f);
        }
        if (type == jitnorm_f16) {
            g_.vcvtps2ph(shorts(f), x, NEAREST_EVEN);
            g_.vcvtph2ps(f, shorts(f));
        }
        if (g_.kind.is_f64()) g_.vcvtps2pd(to, f);
    }

private:
    static bool is_byte(jitnorm_data_type_t type) { return element_bytes(type) == 1; }
    vmm floats(const vmm &v) const { return g_.elements(v, 4); }
    vmm shorts(const vmm &v) const { return g_.elements(v, 2); }

    void broadcast_bits(const vmm &v, uint32_t bits) { g_.vpbroadcastd(v, g_.ptr[g_.constant(bits, sizeof(bits))]); }

    // An operand that has this number in each element.
    Xbyak::Address every(uint32_t bits) {
        if (g_.kind.is_avx512()) return g_.ptr_b[g_.constant(bits, sizeof(bits))];
        return g_.ptr[g_.constant(std::vector<uint32_t>(8, bits))];
    }

    // Converts the elements of v and of `next`, which may be v.
    void to_bytes(const vmm &v, const vmm &next, jitnorm_data_type_t type, bool in_unpack_order = false) {
        const vmm &work = work_.at(0);
        std::vector<vmm> vectors = {v};
        if (next != v) vectors.push_back(next);
        if (is_f8(type)) {
            for (const vmm &x : vectors) {
                if (g_.kind.is_f64()) g_.vcvtpd2ps(floats(x), x);
                to_f8(floats(x), type);
            }
            return pack_bytes(floats(v), floats(next), type, in_unpack_order);
        }
        // If an operand of minimum or maximum is NaN, the result is the second operand: a NaN stays. Packing saturates
        // numbers that are too small for u8.
        if (type == jitnorm_s8 && !g_.kind.is_avx512()) {
            g_.ops.broadcast(work, g_.number(-128));
            for (const vmm &x : vectors) g_.ops.max(x, work, x);
        }
        g_.ops.broadcast(work, g_.number(type == jitnorm_s8 ? 127 : 255));
        for (const vmm &x : vectors) g_.ops.min(x, work, x);
        for (const vmm &x : vectors) type == jitnorm_s8 ? to_integers_without_nan(x) : to_integers(x);
        pack_bytes(floats(v), floats(next), type, in_unpack_order);
    }

    void to_integers(const vmm &x) { g_.kind.is_f64() ? g_.vcvtpd2dq(floats(x), x) : g_.vcvtps2dq(floats(x), x); }

    // With AVX-512 a NaN becomes 0 here already.
    void to_integers_without_nan(const vmm &x) {
        if (!g_.kind.is_avx512()) return to_integers(x);
        constexpr uint8_t ORDERED = 7;
        g_.ops.compare(mask_, x, x, ORDERED);
        const vmm to = floats(x) | mask_ | g_.T_z;
        g_.kind.is_f64() ? g_.vcvtpd2dq(to, x) : g_.vcvtps2dq(to, x);
    }

    // A NaN has become the least integer. Packing to u8 saturates it to 0. For s8, AVX2 takes the lowest byte of
    // 0x8000, to which it is packed first: that is 0, too.
    void pack_bytes(const vmm &v, const vmm &next, jitnorm_data_type_t type, bool in_unpack_order) {
        const bool avx512 = g_.kind.is_avx512();
        g_.vpackssdw(v, v, next);
        if (!avx512 && type == jitnorm_s8) g_.vandps(v, v, every(0x00ff00ff));
        avx512 &&type == jitnorm_s8 ? g_.vpacksswb(v, v, v) : g_.vpackuswb(v, v, v);
        if (in_unpack_order) return g_.vpermq(ymm_of(v), v, MIDDLE_QUARTERS);
        permute_doublewords(v, {0, 4, 1, 5, 0, 0, 0, 0}, {0, 4, 8, 12, 1, 5, 9, 13, 0, 0, 0, 0, 0, 0, 0, 0});
    }

    void permute_doublewords(const vmm &v, std::initializer_list<uint32_t> of_ymm,
                             std::initializer_list<uint32_t> of_zmm) {
        if (v.isXMM()) return;
        const vmm order = part_of(work_.at(0), v.getBit() / 8);
        g_.vmovups(order, g_.ptr[g_.constant(v.isZMM() ? of_zmm : of_ymm)]);
        v.isZMM() ? g_.vpermd(zmm_of(v), zmm_of(order), v) : g_.vpermd(ymm_of(v), ymm_of(order), v);
    }

    // Replaces each float by its f8 code. Adds to each magnitude a power of two whose last bit is the last bit that the
    // result keeps. The addition rounds to that bit, and the bits of the sum minus the bits of the power count these
    // units. The exponent of the code follows from the power.
    void to_f8(const vmm &v, jitnorm_data_type_t type) {
        constexpr int MANTISSA = 23, BIAS = 127;
        const f8_layout layout = type == jitnorm_f8_e5m2 ? f8_e5m2::LAYOUT : f8_e4m3::LAYOUT;
        const vmm code = floats(work_.at(0)), power = floats(work_.at(1));
        const int dropped = MANTISSA - layout.mantissa;
        const uint32_t least = uint32_t(BIAS + 1 - layout.bias); // exponent of a normal number, and of denormal ones
        const uint32_t exponents_part = (least + uint32_t(dropped)) << layout.mantissa;
        g_.vandps(code, v, every(0x7fffffff));
        broadcast_bits(power, std::bit_cast<uint32_t>(layout.largest));
        g_.vminps(code, power, code); // NaN stays: it is the second
        g_.vpminud(code, code, every(std::bit_cast<uint32_t>(layout.nan)));
        g_.vandps(power, code, every(0x7f800000));
        g_.vpmaxud(power, power, every(least << MANTISSA));
        g_.vpaddd(power, power, every(uint32_t(dropped) << MANTISSA));
        g_.vaddps(code, code, power);
        g_.vpsubd(code, code, power);
        g_.vpsrld(power, power, uint8_t(dropped));
        g_.vpaddd(code, code, power);
        g_.vpsubd(code, code, every(exponents_part));
        g_.vpsrld(v, v, 24);
        g_.vandps(v, v, every(0x80));
        g_.vorps(v, v, code);
    }

    // Converts the elements of v and of `next`, which may be v. Looks for denormal numbers in both vectors at once.
    void to_bf16(const vmm &v, const vmm &next) {
        if (!g_.kind.is_avx512() || !avx512_bf16_) return round_to_bf16(v, next);
        auto &rare = g_.rarely([copy = *this, v, next]() mutable { copy.round_to_bf16(v, next); });
        g_.vfpclassps(mask_, v, DENORMAL);
        if (next != v) g_.vfpclassps(mask_of_next_, next, DENORMAL);
        g_.kortestw(mask_, next != v ? mask_of_next_ : mask_);
        g_.jnz(rare.begin, NEAR);
        next != v ? g_.vcvtne2ps2bf16(v, next, v) : g_.vcvtneps2bf16(shorts(v), v);
        g_.L(rare.end);
    }

    void round_to_bf16(const vmm &v, const vmm &next) {
        round_to_bf16(v);
        if (next == v) return;
        round_to_bf16(next);
        g_.vinserti64x4(zmm_of(v), zmm_of(v), ymm_of(next), 1);
    }

    void round_to_bf16(const vmm &v) {
        round_bf16_bits(v);
        if (g_.kind.is_avx512()) return g_.vpmovdw(shorts(v), v);
        g_.vpackusdw(v, v, v); // packs each half of 128 bits by itself
        if (v.isYMM()) g_.vpermq(ymm_of(v), v, MIDDLE_QUARTERS);
    }

    // (bits + 0x7fff + (bits >> 16 & 1)) >> 16; a NaN becomes a NaN.
    void round_bf16_bits(const vmm &v) {
        const vmm rounded = floats(work_.at(0)), other = floats(work_.at(1));
        broadcast_bits(other, 1);
        g_.vpsrld(rounded, v, 16);
        g_.vandps(rounded, rounded, other);
        broadcast_bits(other, 0x7fff);
        g_.vpaddd(rounded, rounded, other);
        g_.vpaddd(rounded, rounded, v);
        if (g_.kind.is_avx512()) {
            broadcast_bits(other, 0x400000);
            g_.vcmpunordps(mask_, v, v);
            g_.vorps(rounded | mask_, other, v);
            g_.vpsrld(v, rounded, 16);
        } else {
            g_.vcmpunordps(v, v, v); // all bits of NaN
            g_.vorps(v, v, rounded);
            g_.vpsrld(v, v, 16);
        }
    }

    // Rounds two vectors as words of 16 bits. The upper word of an element is the result, plus one if the lower word,
    // minus one if the upper word is even, has its highest bit set. A NaN stays a NaN, because the addition does not
    // change the greatest words of either sign.
    void two_to_bf16_words(const vmm &v, const vmm &next) {
        const vmm &upper = v, &lower = next, work = floats(work_.at(0));
        const Xbyak::Ymm upper_then_lower = ymm_of(work_.at(1));
        g_.vbroadcastf128(upper_then_lower, g_.ptr[g_.constant({0x07060302, 0x0f0e0b0a, 0x05040100, 0x0d0c0908})]);
        g_.vpshufb(v, v, upper_then_lower);
        g_.vpshufb(next, next, upper_then_lower);
        g_.vpunpcklqdq(work, v, next);
        g_.vpunpckhqdq(lower, v, next);
        g_.vpandn(upper, work, g_.ptr[g_.constant(std::vector<uint32_t>(8, 0x00010001))]);
        g_.vpsubusw(lower, lower, upper);
        g_.vpsraw(lower, lower, 15);
        g_.vpsubsw(upper, work, lower); // keeps 0x7fff
        g_.vpmaxuw(upper, upper, work); // and 0xffff
    }

    kernel_generator &g_;
    std::vector<vmm> work_;
    bool avx512_bf16_;
    Xbyak::Opmask mask_{NARROWING_MASK}, mask_of_next_{SECOND_NARROWING_MASK};
};

} // namespace jitnorm::impl::jit
