// SPDX-License-Identifier: Apache-2.0
// narrowing: converts vectors of the compute type T to elements of a narrower type, dense at the bottom of a register.
// docs/arithmetic.md, "Notation", defines the conversions. bf16 is rounded by integer instructions, or by AVX512_BF16
// if the processor has it. AVX512_BF16 takes denormal numbers for zeros, so vectors with denormal numbers are rounded
// by integer instructions all the same, in code at the kernel's end. Two vectors that are packed together share the
// instructions for this; vectors of a crossed pair (crossing.hpp) are in order afterwards.
#pragma once

#include <array>
#include <bit>
#include <list>
#include <optional>

#include "../../arithmetic/f8.hpp"
#include "constant_pool.hpp"
#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

constexpr int element_bytes(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_f64:
        return 8;
    case jitnorm_f32:
    case jitnorm_s32:
        return 4;
    case jitnorm_bf16:
    case jitnorm_f16:
        return 2;
    default:
        return 1;
    }
}

template <isa I, typename T>
class narrowing {
    static constexpr bool DOUBLE = std::is_same_v<T, double>;
    using vmm = typename vector_traits<I>::vmm;

public:
    // The registers for a vector's elements of four bytes, and of two bytes, which is at least an xmm register.
    using floats = std::conditional_t<DOUBLE, typename vector_traits<I>::half, vmm>;
    using shorts = std::conditional_t<I == isa::avx512 && !DOUBLE, Xbyak::Ymm, Xbyak::Xmm>;

    narrowing(Xbyak::CodeGenerator &g, const std::array<vmm, 2> &work, bool avx512_bf16 = has_avx512_bf16())
        : g_(g), ops_(g), work_(work), avx512_bf16_(avx512_bf16) {}

    // Converts the elements of v in place.
    void one(const vmm &v, jitnorm_data_type_t type) {
        if (is_byte(type)) return to_bytes(v, v, type);
        const floats f(v.getIdx());
        if constexpr (DOUBLE) g_.vcvtpd2ps(f, v);
        if (type == jitnorm_bf16) to_bf16(f);
        if (type == jitnorm_f16) {
            constexpr uint8_t NEAREST_EVEN = 0;
            g_.vcvtps2ph(shorts(v.getIdx()), f, NEAREST_EVEN);
        }
    }

    // Whether two vectors take fewer instructions together.
    static constexpr bool joins_two(jitnorm_data_type_t type) {
        return !DOUBLE && (is_byte(type) || type == jitnorm_bf16);
    }

    // Converts the elements of v and then those of `next` to v; changes `next`. Both may be a crossed pair. They must
    // be results of arithmetic, so that no NaN among them is a signaling one.
    void two(const vmm &v, const vmm &next, jitnorm_data_type_t type, bool crossed = false) {
        if (is_byte(type)) return to_bytes(v, next, type, crossed);
        if constexpr (joins_two(jitnorm_bf16)) {
            if constexpr (I == isa::avx512) return two_to_bf16(v, next);
            two_to_bf16_words(v, next);
            if (!crossed) g_.vpermq(v, v, MIDDLE_QUARTERS);
        }
    }

    // Is called behind the kernel's last instruction. Emits code that is rarely executed, and constants.
    void emit_rest() {
        for (rare_rounding &r : rare_) {
            g_.L(r.begin);
            round_to_bf16(r.v, r.next);
            g_.jmp(r.end, Xbyak::CodeGenerator::T_NEAR);
        }
        constants_.emit();
    }

private:
    struct rare_rounding { // code that rounds v, and the vector that is joined to it, to bf16 and jumps back
        floats v;
        std::optional<floats> next;
        Xbyak::Label begin, end;
        explicit rare_rounding(const floats &rounded, std::optional<floats> behind = {}) : v(rounded), next(behind) {}
    };

    static constexpr uint8_t MIDDLE_QUARTERS = 0b11011000; // exchanges quarters 1 and 2 of a ymm register

    static constexpr bool is_f8(jitnorm_data_type_t type) { return type == jitnorm_f8_e5m2 || type == jitnorm_f8_e4m3; }
    static constexpr bool is_byte(jitnorm_data_type_t type) {
        return type == jitnorm_s8 || type == jitnorm_u8 || is_f8(type);
    }

    void broadcast_value(const vmm &v, T value) {
        using bits = std::conditional_t<DOUBLE, uint64_t, uint32_t>;
        ops_.broadcast(v, g_.ptr[constants_.at(std::bit_cast<bits>(value), sizeof(T))]);
    }
    void broadcast_bits(const floats &v, uint32_t bits) {
        g_.vpbroadcastd(v, g_.ptr[constants_.at(bits, sizeof(bits))]);
    }

    // An operand that has this number in each element.
    Xbyak::Address every(uint32_t bits) {
        if constexpr (I == isa::avx512) return g_.ptr_b[constants_.at(bits, sizeof(bits))];
        return g_.ptr[constants_.at(std::vector<uint32_t>(8, bits))];
    }

    // ---- s8, u8

    // Converts the elements of v and of `next`, which may be v.
    void to_bytes(const vmm &v, const vmm &next, jitnorm_data_type_t type, bool crossed = false) {
        const vmm &work = work_[0];
        const auto for_each = [&](auto &&use) {
            use(v);
            if (next != v) use(next);
        };
        if (is_f8(type)) {
            for_each([&](const vmm &x) {
                const floats f(x.getIdx());
                if constexpr (DOUBLE) g_.vcvtpd2ps(f, x);
                type == jitnorm_f8_e5m2 ? to_f8(f, layout_of_f8<f8_e5m2>) : to_f8(f, layout_of_f8<f8_e4m3>);
            });
            return pack_bytes(floats(v.getIdx()), floats(next.getIdx()), type, floats(work.getIdx()), crossed);
        }
        // If an operand of minimum or maximum is NaN, the result is the second operand: a NaN stays. Packing saturates
        // numbers that are too small for u8.
        if (type == jitnorm_s8 && I == isa::avx2) {
            broadcast_value(work, -128);
            for_each([&](const vmm &x) { ops_.max(x, work, x); });
        }
        broadcast_value(work, type == jitnorm_s8 ? 127 : 255);
        for_each([&](const vmm &x) { ops_.min(x, work, x); });
        for_each([&](const vmm &x) { type == jitnorm_s8 ? to_integers_without_nan(x) : to_integers(x); });
        pack_bytes(floats(v.getIdx()), floats(next.getIdx()), type, floats(work.getIdx()), crossed);
    }

    template <typename To>
    void convert_to_integers(const To &to, const vmm &x) {
        DOUBLE ? g_.vcvtpd2dq(to, x) : g_.vcvtps2dq(to, x);
    }
    void to_integers(const vmm &x) { convert_to_integers(floats(x.getIdx()), x); }

    // With AVX-512 a NaN becomes 0 here already.
    void to_integers_without_nan(const vmm &x) {
        if constexpr (I == isa::avx2) return to_integers(x);
        constexpr uint8_t ORDERED = 7;
        ops_.compare(mask_, x, x, ORDERED);
        convert_to_integers(floats(x.getIdx()) | mask_ | g_.T_z, x);
    }

    // A NaN has become the least integer. Packing to u8 saturates it to 0. For s8, AVX2 takes the lowest byte of
    // 0x8000, to which it is packed first: that is 0, too.
    void pack_bytes(const floats &v, const floats &next, jitnorm_data_type_t type, const floats &work, bool crossed) {
        const bool saturates_to_s8 = I == isa::avx512 && type == jitnorm_s8;
        g_.vpackssdw(v, v, next);
        if (I == isa::avx2 && type == jitnorm_s8) g_.vandps(v, v, every(0x00ff00ff));
        saturates_to_s8 ? g_.vpacksswb(v, v, v) : g_.vpackuswb(v, v, v);
        if (crossed) return g_.vpermq(Xbyak::Ymm(v.getIdx()), v, MIDDLE_QUARTERS);
        if constexpr (!std::is_same_v<floats, Xbyak::Xmm>) {
            const bool wide = std::is_same_v<floats, Xbyak::Zmm>;
            const Xbyak::Ymm order(work.getIdx());
            g_.vmovups(
                order,
                g_.ptr[wide ? constants_.at({0, 4, 8, 12, 1, 5, 9, 13}) : constants_.at({0, 4, 1, 5, 0, 0, 0, 0})]);
            g_.vpermd(v, work, v);
        }
    }

    // ---- f8_e5m2, f8_e4m3

    // Replaces each float by its f8 code. To each magnitude a power of two is added whose last bit is the last bit that
    // the result keeps. So the addition rounds there, and the bits of the sum, minus those of the power, count these
    // units. The exponent of the code follows from the power.
    void to_f8(const floats &v, const f8_layout &layout) {
        constexpr int MANTISSA = 23, BIAS = 127;
        const floats code(work_[0].getIdx()), power(work_[1].getIdx());
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

    // ---- bf16

    static constexpr uint8_t DENORMAL = 0x20; // the class of denormal numbers in vfpclassps

    void to_bf16(const floats &v) {
        if (I == isa::avx2 || !avx512_bf16_) return round_to_bf16(v);
        rare_rounding &rare = rare_.emplace_back(v);
        g_.vfpclassps(mask_, v, DENORMAL);
        g_.kortestw(mask_, mask_);
        g_.jnz(rare.begin, Xbyak::CodeGenerator::T_NEAR);
        g_.vcvtneps2bf16(shorts(v.getIdx()), v);
        g_.L(rare.end);
    }

    void round_to_bf16(const floats &v) {
        round_bf16_bits(v);
        if constexpr (I == isa::avx512)
            g_.vpmovdw(shorts(v.getIdx()), v);
        else
            pack_shorts(v, v);
    }

    // Looks for denormal numbers in both vectors at once.
    void two_to_bf16(const floats &v, const floats &next) {
        if (!avx512_bf16_) return round_to_bf16(v, next);
        const Xbyak::Opmask mask_of_next(3);
        rare_rounding &rare = rare_.emplace_back(v, next);
        g_.vfpclassps(mask_, v, DENORMAL);
        g_.vfpclassps(mask_of_next, next, DENORMAL);
        g_.kortestw(mask_, mask_of_next);
        g_.jnz(rare.begin, Xbyak::CodeGenerator::T_NEAR);
        g_.vcvtne2ps2bf16(v, next, v);
        g_.L(rare.end);
    }

    void round_to_bf16(const floats &v, const std::optional<floats> &next) {
        round_to_bf16(v);
        if (!next) return;
        round_to_bf16(*next);
        if constexpr (joins_two(jitnorm_bf16) && I == isa::avx512) g_.vinserti64x4(v, v, Xbyak::Ymm(next->getIdx()), 1);
    }

    // (bits + 0x7fff + (bits >> 16 & 1)) >> 16; a NaN becomes a NaN.
    void round_bf16_bits(const floats &v) {
        const floats rounded(work_[0].getIdx()), other(work_[1].getIdx());
        broadcast_bits(other, 1);
        g_.vpsrld(rounded, v, 16);
        g_.vandps(rounded, rounded, other);
        broadcast_bits(other, 0x7fff);
        g_.vpaddd(rounded, rounded, other);
        g_.vpaddd(rounded, rounded, v);
        if constexpr (I == isa::avx512) {
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
    void two_to_bf16_words(const floats &v, const floats &next) {
        const floats upper(v.getIdx()), lower(next.getIdx()), work(work_[0].getIdx());
        const floats upper_then_lower(work_[1].getIdx());
        g_.vbroadcastf128(upper_then_lower, g_.ptr[constants_.at({0x07060302, 0x0f0e0b0a, 0x05040100, 0x0d0c0908})]);
        g_.vpshufb(v, v, upper_then_lower);
        g_.vpshufb(next, next, upper_then_lower);
        g_.vpunpcklqdq(work, v, next);
        g_.vpunpckhqdq(lower, v, next);
        g_.vpandn(upper, work, g_.ptr[constants_.at(std::vector<uint32_t>(8, 0x00010001))]);
        g_.vpsubusw(lower, lower, upper);
        g_.vpsraw(lower, lower, 15);
        g_.vpsubsw(upper, work, lower); // keeps 0x7fff
        g_.vpmaxuw(upper, upper, work); // and 0xffff
    }

    // vpackusdw packs each half of 128 bits by itself; the quarters are put in order afterwards.
    void pack_shorts(const floats &v, const floats &next) {
        g_.vpackusdw(v, v, next);
        if constexpr (std::is_same_v<floats, Xbyak::Ymm>) g_.vpermq(v, v, MIDDLE_QUARTERS);
    }

    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    std::array<vmm, 2> work_;
    bool avx512_bf16_;
    Xbyak::Opmask mask_{2};
    std::list<rare_rounding> rare_;
    constant_pool constants_{g_};
};

} // namespace jitnorm::impl::jit
