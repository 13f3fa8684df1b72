// SPDX-License-Identifier: Apache-2.0
// element_io: loads and stores vectors of the compute type T, whole or incomplete, from and to rows of any data type.
// No other code of kernels converts elements.
//
// Widening is exact, except that s32 to float rounds to nearest even; narrowing.hpp describes the conversions of
// stores. AVX2 has no masked loads and stores of narrow elements, so those of an incomplete vector are collected piece
// by piece. f64 elements need T = double.
#pragma once

#include <array>
#include <optional>

#include "../isa.hpp"
#include "crossing.hpp"
#include "narrowing.hpp"
#include "row_walker.hpp"
#include "tail_mask.hpp"
#include "vector_pieces.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class element_io {
    static constexpr bool DOUBLE = std::is_same_v<T, double>;
    static constexpr bool PERMUTES = I == isa::avx512 && !DOUBLE;
    static constexpr int WIDTH = VECTOR_WIDTH<I, T>;
    static constexpr jitnorm_data_type_t OWN = data_type_of<T>;
    using vmm = typename vector_traits<I>::vmm;
    using half = typename vector_traits<I>::half;
    using floats = typename narrowing<I, T>::floats;
    using shorts = typename narrowing<I, T>::shorts;
    using reg = Xbyak::Reg64;
    using address = Xbyak::RegExp;

public:
    // For loads, and stores of the compute type.
    element_io(Xbyak::CodeGenerator &g, tail_mask<I, T> &tail, const row_walker<I, T> &walker, const reg &scratch)
        : g_(g), ops_(g), tail_(tail), walker_(walker), scratch_(scratch) {}
    // For stores of other types as well.
    element_io(Xbyak::CodeGenerator &g, tail_mask<I, T> &tail, const row_walker<I, T> &walker, const reg &scratch,
               const std::array<vmm, 2> &work)
        : element_io(g, tail, walker, scratch) {
        narrowing_.emplace(g, work);
    }

    // From now on pairs of whole vectors are crossed (crossing.hpp) by every load_all() and are expected crossed by
    // every store_all() of the same places. This object keeps the register `zeros`. Rows must be f32, bf16 or f16, and
    // stores must be of types for which narrowing::joins_two() holds.
    void cross(const vmm &zeros) {
        zeros_ = zeros;
        ops_.clear(zeros);
    }
    // From now on bf16 is widened by a permutation of bytes, if the processor has this instruction (AVX512_VBMI): it
    // takes one operation on vectors instead of two, a conversion and a shift. This object keeps the registers `order`
    // and k7.
    void permute_bf16(const vmm &order) {
        if constexpr (PERMUTES) {
            if (!has_avx512_vbmi()) return;
            order_ = order;
            std::vector<uint32_t> bytes; // the source of each byte; the two lower bytes of each element are masked
            for (uint32_t i = 0; i < uint32_t(WIDTH); ++i) bytes.push_back((2 * i + 1) << 24 | (2 * i) << 16);
            g_.vmovups(order, g_.ptr[constants_.at(bytes)]);
            g_.mov(scratch_, 0xCCCCCCCCCCCCCCCC);
            g_.kmovq(upper_bytes_, scratch_);
        }
    }

    bool crosses(places vectors) const { return zeros_ && vectors.size() % 2 == 0 && !vectors.back().tail; }

    // Loads each vector into the register of its slot.
    void load_all(std::span<const vmm> to, const reg &row, places vectors, jitnorm_data_type_t type) {
        for (size_t i = 0; i < vectors.size(); ++i) {
            const place &p = vectors[i];
            if (!crosses(vectors))
                load(to[size_t(p.slot)], row, p, type);
            else if (i % 2 == 0)
                load_crossed(Xbyak::Ymm(to[size_t(p.slot)].getIdx()), Xbyak::Ymm(to[size_t(p.slot) + 1].getIdx()),
                             walker_.at(row, p, element_bytes(type)), type);
        }
    }

    // Loads one vector. Absent elements of an incomplete vector become zero.
    void load(const vmm &v, const reg &row, const place &p, jitnorm_data_type_t type) {
        const address at = walker_.at(row, p, element_bytes(type));
        if (!p.tail) return type == OWN ? ops_.load(v, g_.ptr[at]) : widen(v, g_.ptr[at], type);
        load_incomplete(v, row, p, element_bytes(type));
        if (type == OWN) return;
        element_bytes(type) == 4   ? widen(v, floats(v.getIdx()), type)
        : element_bytes(type) == 2 ? widen(v, shorts(v.getIdx()), type)
                                   : widen(v, Xbyak::Xmm(v.getIdx()), type);
    }

    // Calls body(x) with the vector as an operand. x is memory if the vector is whole and has the compute type;
    // otherwise the vector is loaded into v, and x is v.
    template <typename Use> // void(const Xbyak::Operand &)
    void use(const vmm &v, const reg &row, const place &p, jitnorm_data_type_t type, Use &&body) {
        if (type == OWN && !p.tail) return body(g_.ptr[walker_.at(row, p, element_bytes(type))]);
        load(v, row, p, type);
        body(v);
    }

    // The same for several vectors, with the register of each vector's slot.
    template <typename Use> // void(const place &, const Xbyak::Operand &)
    void use_all(std::span<const vmm> v, const reg &row, places vectors, jitnorm_data_type_t type, Use &&body) {
        if (crosses(vectors)) load_all(v, row, vectors, type);
        for (const place &p : vectors) {
            const vmm &in_slot = v[size_t(p.slot)];
            const auto use_in_place = [&](const Xbyak::Operand &x) { body(p, x); };
            crosses(vectors) ? use_in_place(in_slot) : use(in_slot, row, p, type, use_in_place);
        }
    }

    // Loads the first element into the lowest lane of v. This function and the next are for rows that are normalized,
    // so not for s32.
    void load_first(const Xbyak::Xmm &v, const reg &at, jitnorm_data_type_t type) {
        if (type == OWN) return ops_.load_lowest(v, g_.ptr[at]);
        if (element_bytes(type) == 4) g_.vmovd(v, g_.ptr[at]);
        if (element_bytes(type) < 4) {
            element_bytes(type) == 2 ? g_.movzx(scratch_.cvt32(), g_.word[at])
                                     : g_.movzx(scratch_.cvt32(), g_.byte[at]);
            g_.vmovd(v, scratch_.cvt32());
        }
        widen_to_floats(v, v, type);
        if constexpr (DOUBLE) g_.vcvtps2pd(v, v);
    }

    // Loads the first four elements into the four lowest lanes of the register.
    void load_four(const Xbyak::Xmm &v, const reg &at, jitnorm_data_type_t type) {
        const Xbyak::Ymm doubles(v.getIdx());
        if (type == OWN) return DOUBLE ? g_.vmovupd(doubles, g_.ptr[at]) : g_.vmovups(v, g_.ptr[at]);
        type == jitnorm_f32 ? g_.vmovups(v, g_.ptr[at]) : widen_to_floats(v, g_.ptr[at], type);
        if constexpr (DOUBLE) g_.vcvtps2pd(doubles, v);
    }

    // Stores one vector; changes v. `non_temporal` has an effect on whole vectors that take at least 16 bytes in
    // memory.
    void store(const reg &row, const place &p, const vmm &v, jitnorm_data_type_t type, bool non_temporal) {
        const address at = walker_.at(row, p, element_bytes(type));
        if (type != OWN) {
            narrowing_.value().one(v, type);
            p.tail ? store_incomplete(at, v.getIdx(), element_bytes(type))
                   : store_whole(at, v.getIdx(), WIDTH * element_bytes(type), non_temporal);
        } else if (p.tail) {
            tail_.store(at, v);
        } else {
            non_temporal ? ops_.store_non_temporal(g_.ptr[at], v) : ops_.store(g_.ptr[at], v);
        }
    }

    // Stores several vectors of a row, which are in v and the registers that follow it. They must be results of
    // arithmetic (narrowing::two()).
    void store_all(const reg &row, places vectors, const vmm &v, jitnorm_data_type_t type, bool non_temporal) {
        const auto held = [&](const place &p) { return vmm(v.getIdx() + p.slot); };
        if (vectors.size() == 2 && !vectors[1].tail && narrowing<I, T>::joins_two(type)) {
            narrowing_.value().two(held(vectors[0]), held(vectors[1]), type, crosses(vectors));
            const address at = walker_.at(row, vectors[0], element_bytes(type));
            return store_whole(at, held(vectors[0]).getIdx(), 2 * WIDTH * element_bytes(type), non_temporal);
        }
        for (const place &p : vectors) store(row, p, held(p), type, non_temporal);
    }

    // Is called behind the kernel's last instruction.
    void emit_rest() {
        if (narrowing_) narrowing_->emit_rest();
        constants_.emit();
    }

private:
    // ---- to the compute type

    // Uses few loads, because most processors can start only two in a cycle.
    void load_crossed(const Xbyak::Ymm &first, const Xbyak::Ymm &second, const address &at, jitnorm_data_type_t type) {
        constexpr int FLOATS = 4, HALVES = 2; // bytes
        if (type == jitnorm_bf16) {
            g_.vmovups(second, g_.ptr[at]);
            g_.vpunpcklwd(first, *zeros_, second);
            g_.vpunpckhwd(second, *zeros_, second);
        } else if (type == jitnorm_f32) {
            const auto behind = g_.ptr[at + WIDTH * FLOATS];
            g_.vmovups(first, g_.ptr[at]);
            g_.vperm2f128(second, first, behind, 0x31);
            g_.vinsertf128(first, first, behind, 1);
        } else {
            for (const auto &[v, begin] : {std::pair(first, 0), std::pair(second, WIDTH / 2)}) {
                const Xbyak::Xmm low(v.getIdx());
                g_.vmovq(low, g_.ptr[at + begin * HALVES]);
                g_.vmovhps(low, low, g_.ptr[at + (begin + WIDTH) * HALVES]);
                g_.vcvtph2ps(v, low);
            }
        }
    }

    // Loads the elements of an incomplete vector, as they are stored, to the bottom of v. With AVX-512 a masked
    // conversion from memory would also be possible, but emulators read the whole vector for it.
    void load_incomplete(const vmm &v, const reg &row, const place &p, int size) {
        const address at = walker_.at(row, p, size);
        if (size == int(sizeof(T))) return tail_.load(v, at);
        if constexpr (I == isa::avx2) {
            pieces_.collect(Xbyak::Xmm(v.getIdx()), row, p, size);
        } else {
            const auto &mask = tail_.opmask();
            size == 4   ? g_.vmovups(floats(v.getIdx()) | mask | g_.T_z, g_.ptr[at])
            : size == 2 ? g_.vmovdqu16(shorts(v.getIdx()) | mask | g_.T_z, g_.ptr[at])
                        : g_.vmovdqu8(Xbyak::Xmm(v.getIdx()) | mask | g_.T_z, g_.ptr[at]);
        }
    }

    void widen(const vmm &v, const Xbyak::Operand &from, jitnorm_data_type_t type) {
        if constexpr (DOUBLE) {
            if (type == jitnorm_s32) return g_.vcvtdq2pd(v, from);
            if (type == jitnorm_f32) return g_.vcvtps2pd(v, from);
            widen_to_floats(half(v.getIdx()), from, type);
            g_.vcvtps2pd(v, half(v.getIdx()));
        } else if (order_ && type == jitnorm_bf16) {
            permute(v, from);
        } else {
            widen_to_floats(v, from, type);
        }
    }

    // `from` is memory or the lower half of v.
    void permute(const vmm &v, const Xbyak::Operand &from) {
        if constexpr (PERMUTES) {
            if (from.isMEM()) g_.vmovups(shorts(v.getIdx()), from);
            g_.vpermb(v | upper_bytes_ | g_.T_z, *order_, v);
        }
    }

    template <typename Vector>
    void widen_to_floats(const Vector &v, const Xbyak::Operand &from, jitnorm_data_type_t type) {
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
        case jitnorm_u8:
            g_.vpmovzxbd(v, from);
            g_.vcvtdq2ps(v, v);
            break;
        case jitnorm_s32:
            g_.vcvtdq2ps(v, from);
            break;
        default: // f32, which is in its register already
            break;
        }
    }

    // ---- narrow elements in memory

    void store_whole(const address &at, int index, int bytes, bool non_temporal) {
        const Xbyak::Ymm y(index);
        const Xbyak::Xmm x(index);
        switch (bytes) {
        case 64:
            return non_temporal ? g_.vmovntps(g_.ptr[at], Xbyak::Zmm(index))
                                : g_.vmovups(g_.ptr[at], Xbyak::Zmm(index));
        case 32:
            return non_temporal ? g_.vmovntps(g_.ptr[at], y) : g_.vmovups(g_.ptr[at], y);
        case 16:
            return non_temporal ? g_.vmovntps(g_.ptr[at], x) : g_.vmovups(g_.ptr[at], x);
        case 8:
            return g_.vmovq(g_.ptr[at], x);
        default:
            return g_.vmovd(g_.ptr[at], x);
        }
    }

    void store_incomplete(const address &at, int index, int size) {
        if constexpr (I == isa::avx2) {
            pieces_.scatter(at, Xbyak::Xmm(index), size);
        } else {
            const auto &mask = tail_.opmask();
            size == 4   ? g_.vmovups(g_.ptr[at] | mask, floats(index))
            : size == 2 ? g_.vmovdqu16(g_.ptr[at] | mask, shorts(index))
                        : g_.vmovdqu8(g_.ptr[at] | mask, Xbyak::Xmm(index));
        }
    }

    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    tail_mask<I, T> &tail_;
    row_walker<I, T> walker_;
    reg scratch_;
    vector_pieces<I, T> pieces_{g_, walker_, scratch_};
    std::optional<narrowing<I, T>> narrowing_;
    std::optional<vmm> zeros_, order_;
    Xbyak::Opmask upper_bytes_{7};
    constant_pool constants_{g_};
};

} // namespace jitnorm::impl::jit
