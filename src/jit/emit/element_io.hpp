// SPDX-License-Identifier: Apache-2.0
// element_io: vectors of float from and to rows of any data type, whole or incomplete. Kernels name no conversion.
//
// Widening is exact. Narrowing rounds once to nearest even and keeps NaN; integers saturate and NaN becomes 0
// (docs/arithmetic.md, "Notation"). AVX2 has neither bf16 nor masked accesses to narrow elements: bf16 is rounded in
// integer code, and the elements of an incomplete vector are collected piece by piece.
#pragma once

#include <array>

#include "row_walker.hpp"
#include "tail_mask.hpp"

namespace jitnorm::impl::jit {

constexpr int element_bytes(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_f32:
        return 4;
    case jitnorm_bf16:
    case jitnorm_f16:
        return 2;
    default:
        return 1;
    }
}

template <isa I>
class element_io {
    using vmm = typename vector_traits<I>::vmm;
    using reg = Xbyak::Reg64;
    using address = Xbyak::RegExp;
    static constexpr int WIDTH = vector_traits<I>::floats;

public:
    // `scratch` is free to use.
    element_io(Xbyak::CodeGenerator &g, tail_mask<I> &tail, row_walker<I> &walker, const reg &scratch)
        : g_(g), tail_(tail), walker_(walker), scratch_(scratch) {}

    // Absent elements load as zero.
    void load(const vmm &v, const reg &row, const place &p, jitnorm_data_type_t type) {
        const address at = walker_.at(row, p, element_bytes(type));
        if (type == jitnorm_f32) {
            p.tail ? tail_.load(v, at) : g_.vmovups(v, g_.ptr[at]);
        } else if (!p.tail) {
            widen(v, g_.ptr[at], type);
        } else if constexpr (I == isa::avx512) {
            load_narrow(v, at, type);
        } else {
            collect(Xbyak::Xmm(v.getIdx()), row, p, element_bytes(type));
            widen(v, Xbyak::Xmm(v.getIdx()), type);
        }
    }

    // The first element into the lowest place of v.
    void load_first(const Xbyak::Xmm &v, const reg &at, jitnorm_data_type_t type) {
        if (type == jitnorm_f32) return g_.vmovss(v, g_.ptr[at]);
        if (type == jitnorm_bf16 || type == jitnorm_f16) g_.movzx(scratch_.cvt32(), g_.word[at]);
        if (type == jitnorm_s8 || type == jitnorm_u8) g_.movzx(scratch_.cvt32(), g_.byte[at]);
        g_.vmovd(v, scratch_.cvt32());
        widen(v, v, type);
    }

    // The first four elements, into the four places of v.
    void load_four(const Xbyak::Xmm &v, const reg &at, jitnorm_data_type_t type) {
        type == jitnorm_f32 ? g_.vmovups(v, g_.ptr[at]) : widen(v, g_.ptr[at], type);
    }

    // Changes v and uses up two more registers. `streaming` bypasses the caches, for types of 2 and 4 bytes.
    void store(const reg &row, const place &p, const vmm &v, jitnorm_data_type_t type, bool streaming,
               const std::array<vmm, 2> &work) {
        const address at = walker_.at(row, p, element_bytes(type));
        if (type == jitnorm_f32) {
            if (p.tail) return tail_.store(at, v);
            streaming ? g_.vmovntps(g_.ptr[at], v) : g_.vmovups(g_.ptr[at], v);
            return;
        }
        narrow(v, type, work);
        if constexpr (I == isa::avx512)
            store_narrow(at, Xbyak::Ymm(v.getIdx()), element_bytes(type), p.tail, streaming);
        else
            store_narrow(at, Xbyak::Xmm(v.getIdx()), element_bytes(type), p.tail, streaming);
    }

    void emit_constants() {
        for (constant *c : {&bf16_round_, &one_, &quiet_, &s8_lowest_, &s8_highest_, &u8_highest_}) {
            if (!c->used) continue;
            g_.align(4);
            g_.L(c->label);
            g_.dd(c->bits);
        }
    }

private:
    struct constant {
        uint32_t bits;
        Xbyak::Label label = {};
        bool used = false;
    };

    void broadcast(const vmm &v, constant &c) {
        c.used = true;
        g_.vpbroadcastd(v, g_.ptr[g_.rip + c.label]);
    }

    // AVX-512: WIDTH = 16 elements. The load is masked by element; a masked conversion from memory would do as well on
    // a processor, but emulators read the whole vector for it.
    void load_narrow(const vmm &v, const address &at, jitnorm_data_type_t type) {
        const Xbyak::Ymm half(v.getIdx());
        const Xbyak::Xmm quarter(v.getIdx());
        if (element_bytes(type) == 2) {
            g_.vmovdqu16(half | tail_.opmask() | g_.T_z, g_.ptr[at]);
            widen(v, half, type);
        } else {
            g_.vmovdqu8(quarter | tail_.opmask() | g_.T_z, g_.ptr[at]);
            widen(v, quarter, type);
        }
    }

    template <typename Vector>
    void widen(const Vector &v, const Xbyak::Operand &from, jitnorm_data_type_t type) {
        switch (type) {
        case jitnorm_bf16:
            g_.vpmovzxwd(v, from);
            g_.vpslld(v, v, 16);
            break;
        case jitnorm_f16:
            g_.vcvtph2ps(v, from);
            break;
        case jitnorm_s8:
            g_.vpmovsxbd(v, from);
            g_.vcvtdq2ps(v, v);
            break;
        default:
            g_.vpmovzxbd(v, from);
            g_.vcvtdq2ps(v, v);
            break;
        }
    }

    // The elements end up dense at the bottom of v.
    void narrow(const vmm &v, jitnorm_data_type_t type, const std::array<vmm, 2> &work) {
        if (type == jitnorm_f16) {
            to_f16(v);
        } else if (type == jitnorm_bf16) {
            to_bf16(v, work);
        } else {
            round_to_integer(v, type, work);
        }
    }

    void to_f16(const vmm &v) {
        constexpr uint8_t NEAREST_EVEN = 0;
        if constexpr (I == isa::avx512)
            g_.vcvtps2ph(Xbyak::Ymm(v.getIdx()), v, NEAREST_EVEN);
        else
            g_.vcvtps2ph(Xbyak::Xmm(v.getIdx()), v, NEAREST_EVEN);
    }

    // (bits + 0x7fff + (bits >> 16 & 1)) >> 16, and for NaN (bits | 0x400000) >> 16
    void to_bf16(const vmm &v, const std::array<vmm, 2> &work) {
        const auto &[rounded, other] = work;
        broadcast(other, one_);
        g_.vpsrld(rounded, v, 16);
        and_bits(rounded, rounded, other);
        broadcast(other, bf16_round_);
        g_.vpaddd(rounded, rounded, other);
        g_.vpaddd(rounded, rounded, v);
        broadcast(other, quiet_);
        or_bits(other, other, v);
        if constexpr (I == isa::avx512) {
            g_.vcmpunordps(nan_, v, v);
            g_.vmovdqa32(rounded | nan_, other);
            g_.vpsrld(rounded, rounded, 16);
            g_.vpmovdw(Xbyak::Ymm(v.getIdx()), rounded);
        } else {
            g_.vcmpunordps(v, v, v);
            g_.vblendvps(rounded, rounded, other, v);
            g_.vpsrld(rounded, rounded, 16);
            g_.vpackusdw(rounded, rounded, rounded);
            g_.vpermq(v, rounded, LOW_QUARTERS);
        }
    }

    void round_to_integer(const vmm &v, jitnorm_data_type_t type, const std::array<vmm, 2> &work) {
        const auto &[other, ordered] = work;
        const bool is_signed = type == jitnorm_s8;
        zero_nan(v, ordered);
        if (is_signed) {
            broadcast(other, s8_lowest_);
            g_.vmaxps(v, v, other);
        } else {
            clear(other);
            g_.vmaxps(v, v, other);
        }
        broadcast(other, is_signed ? s8_highest_ : u8_highest_);
        g_.vminps(v, v, other);
        g_.vcvtps2dq(v, v);
        if constexpr (I == isa::avx512) {
            g_.vpmovdb(Xbyak::Xmm(v.getIdx()), v);
        } else {
            g_.vpackssdw(v, v, v);
            g_.vpermq(v, v, LOW_QUARTERS);
            const Xbyak::Xmm low(v.getIdx());
            is_signed ? g_.vpacksswb(low, low, low) : g_.vpackuswb(low, low, low);
        }
    }

    void zero_nan(const vmm &v, const vmm &ordered) {
        if constexpr (I == isa::avx512) {
            g_.vcmpordps(nan_, v, v);
            g_.vmovaps(v | nan_ | g_.T_z, v);
        } else {
            g_.vcmpordps(ordered, v, v);
            g_.vandps(v, v, ordered);
        }
    }

    void clear(const vmm &v) { g_.vxorps(v, v, v); }
    void and_bits(const vmm &to, const vmm &a, const vmm &b) {
        if constexpr (I == isa::avx512)
            g_.vpandd(to, a, b);
        else
            g_.vpand(to, a, b);
    }
    void or_bits(const vmm &to, const vmm &a, const vmm &b) {
        if constexpr (I == isa::avx512)
            g_.vpord(to, a, b);
        else
            g_.vpor(to, a, b);
    }

    // AVX-512: WIDTH = 16 elements at the bottom of a ymm.
    void store_narrow(const address &at, const Xbyak::Ymm &v, int size, bool incomplete, bool streaming) {
        const Xbyak::Xmm low(v.getIdx());
        if (size == 2) {
            if (incomplete)
                g_.vmovdqu16(g_.ptr[at] | tail_.opmask(), v);
            else
                streaming ? g_.vmovntdq(g_.ptr[at], v) : g_.vmovups(g_.ptr[at], v);
        } else {
            incomplete ? g_.vmovdqu8(g_.ptr[at] | tail_.opmask(), low) : g_.vmovups(g_.ptr[at], low);
        }
    }

    // AVX2: WIDTH = 8 elements at the bottom of an xmm.
    void store_narrow(const address &at, const Xbyak::Xmm &v, int size, bool incomplete, bool streaming) {
        if (incomplete)
            scatter(at, v, size);
        else if (size == 2)
            streaming ? g_.vmovntdq(g_.ptr[at], v) : g_.vmovups(g_.ptr[at], v);
        else
            g_.vmovq(g_.ptr[at], v);
    }

    // The incomplete vector as pieces of 4, 2 and 1 elements, by the bits of its count. Collected from the end, so that
    // every piece enters at the bottom.
    void collect(const Xbyak::Xmm &v, const reg &row, const place &p, int size) {
        g_.vpxor(v, v, v);
        for (int elements = 1; elements < WIDTH; elements *= 2) {
            Xbyak::Label absent;
            g_.test(walker_.left(), elements);
            g_.jz(absent);
            const int before = (WIDTH - 1) & ~(2 * elements - 1); // the larger pieces come first in memory
            if (elements > 1) g_.vpslldq(v, v, uint8_t(elements * size));
            insert_lowest(v, walker_.behind(row, p, size, scratch_, before), elements * size);
            g_.L(absent);
        }
    }

    void insert_lowest(const Xbyak::Xmm &v, const address &at, int bytes) {
        switch (bytes) {
        case 8:
            return g_.vpinsrq(v, v, g_.ptr[at], 0);
        case 4:
            return g_.vpinsrd(v, v, g_.ptr[at], 0);
        case 2:
            return g_.vpinsrw(v, v, g_.ptr[at], 0);
        default:
            return g_.vpinsrb(v, v, g_.ptr[at], 0);
        }
    }

    void scatter(const address &at, const Xbyak::Xmm &v, int size) {
        g_.lea(scratch_, g_.ptr[at]);
        for (int elements = WIDTH / 2; elements > 0; elements /= 2) {
            Xbyak::Label absent;
            const int bytes = elements * size;
            g_.test(walker_.left(), elements);
            g_.jz(absent);
            switch (bytes) {
            case 8:
                g_.vmovq(g_.ptr[scratch_], v);
                break;
            case 4:
                g_.vmovd(g_.ptr[scratch_], v);
                break;
            case 2:
                g_.vpextrw(g_.word[scratch_], v, 0);
                break;
            default:
                g_.vpextrb(g_.byte[scratch_], v, 0);
                break;
            }
            g_.add(scratch_, bytes);
            g_.vpsrldq(v, v, uint8_t(bytes));
            g_.L(absent);
        }
    }

    static constexpr uint8_t LOW_QUARTERS = 0b1000; // quarters 0 and 2 of a ymm into its lower half

    Xbyak::CodeGenerator &g_;
    tail_mask<I> &tail_;
    row_walker<I> &walker_;
    reg scratch_;
    Xbyak::Opmask nan_{2};
    constant bf16_round_{0x7fff}, one_{1}, quiet_{0x400000};
    constant s8_lowest_{0xc3000000}, s8_highest_{0x42fe0000}, u8_highest_{0x437f0000}; // -128, 127, 255
};

} // namespace jitnorm::impl::jit
