// SPDX-License-Identifier: Apache-2.0
// element_io: loads and stores vectors of the compute type, whole or incomplete, from and to rows of any data type. No
// other code of kernels converts elements.
//
// Widening is exact, except that s32 to float rounds to nearest even; narrowing.hpp describes the conversions of
// stores. AVX2 has no masked loads and stores of narrow elements: an incomplete vector of them is collected piece by
// piece. f64 elements need f64 as the compute type.
#pragma once

#include <array>
#include <optional>

#include "loops.hpp"
#include "narrowing.hpp"

namespace jitnorm::impl::jit {

// Loads and stores the last, incomplete vector of a row of narrow elements with AVX2, which cannot mask them in memory.
// The elements are cut into pieces of 4, 2 and 1, according to the bits of their number.
class vector_pieces {
public:
    vector_pieces(kernel_generator &g, const vector_loop &loop, const reg &scratch)
        : g_(g), loop_(loop), scratch_(scratch) {}

    // Loads the elements to the bottom of v, with zeros above them; the last piece first, so that every piece enters at
    // the bottom.
    void collect(const Xbyak::Xmm &v, const reg &row, const place &p, int size) {
        g_.vpxor(v, v, v);
        for (int elements = 1; elements < g_.kind.width(); elements *= 2) {
            Xbyak::Label absent;
            g_.test(loop_.left(), elements);
            g_.jz(absent);
            const int before = (g_.kind.width() - 1) & ~(2 * elements - 1); // the larger pieces come first in memory
            if (elements > 1) g_.vpslldq(v, v, uint8_t(elements * size));
            insert_lowest(v, loop_.after(row, p, size, scratch_, before), elements * size);
            g_.L(absent);
        }
    }

    // Stores the elements at the bottom of v. Changes v.
    void scatter(const Xbyak::RegExp &at, const Xbyak::Xmm &v, int size) {
        g_.lea(scratch_, g_.ptr[at]);
        for (int elements = g_.kind.width() / 2; elements > 0; elements /= 2) {
            Xbyak::Label absent;
            const int bytes = elements * size;
            g_.test(loop_.left(), elements);
            g_.jz(absent);
            store_lowest(v, bytes);
            g_.add(scratch_, bytes);
            g_.vpsrldq(v, v, uint8_t(bytes));
            g_.L(absent);
        }
    }

private:
    void insert_lowest(const Xbyak::Xmm &v, const Xbyak::RegExp &at, int bytes) {
        if (bytes == 8) return g_.vpinsrq(v, v, g_.ptr[at], 0);
        if (bytes == 4) return g_.vpinsrd(v, v, g_.ptr[at], 0);
        if (bytes == 2) return g_.vpinsrw(v, v, g_.ptr[at], 0);
        g_.vpinsrb(v, v, g_.ptr[at], 0);
    }

    void store_lowest(const Xbyak::Xmm &v, int bytes) {
        if (bytes == 8) return g_.vmovq(g_.ptr[scratch_], v);
        if (bytes == 4) return g_.vmovd(g_.ptr[scratch_], v);
        if (bytes == 2) return g_.vpextrw(g_.word[scratch_], v, 0);
        g_.vpextrb(g_.byte[scratch_], v, 0);
    }

    kernel_generator &g_;
    vector_loop loop_;
    reg scratch_;
};

// Unpack order: AVX2 unpacks and packs each half of 128 bits by itself. Of 16 consecutive floats, the first vector of a
// pair in unpack order holds 0 to 3 and 8 to 11, the second 4 to 7 and 12 to 15. A shuffle is saved when bf16 is
// widened to such a pair, or packed from one.
//
// Whether loading elements of `type` as such pairs takes fewer instructions.
inline bool unpacks_for_less(const vector_kind &kind, jitnorm_data_type_t type) {
    return !kind.is_avx512() && !kind.is_f64() && type == jitnorm_bf16;
}

class element_io {
public:
    using vector_body = const std::function<void(const place &, const Xbyak::Operand &)> &;

    // Stores of other types than the compute type, and rounding, need two registers `work`.
    element_io(kernel_generator &g, tail_mask &tail, const vector_loop &loop, const reg &scratch,
               const std::vector<vmm> &work = {})
        : g_(g), tail_(tail), loop_(loop), scratch_(scratch), narrowing_(g, work) {}

    // Prepares loads of `type`, for which this object may keep the register. If `unpacks`, pairs of whole vectors are
    // in unpack order from now on after every load_all(), and every store_all() of the same places expects them so.
    // Then rows must be f32, bf16 or f16, and stores must be of types for which narrowing::joins_two() holds. bf16 is
    // permuted with AVX-512, where nothing unpacks.
    void prepare(const vmm &kept, bool unpacks, jitnorm_data_type_t type) {
        if (unpacks) g_.ops.clear(zeros_.emplace(kept));
        if (type == jitnorm_bf16) permute_bf16(kept);
    }

    bool in_unpack_order(places vectors) const { return zeros_ && vectors.size() % 2 == 0 && !vectors.back().tail; }

    // From now on bf16 is widened to floats by a permutation of bytes, if the processor has this instruction
    // (AVX512_VBMI): it takes one operation on vectors instead of two, a conversion and a shift. This object keeps the
    // register `order`.
    void permute_bf16(const vmm &order) {
        if (!g_.kind.is_avx512() || g_.kind.is_f64() || !has_avx512_vbmi()) return;
        order_ = order;
        constexpr uint32_t ZEROS = 63 << 8 | 63; // the last byte, because a load of half a vector clears the rest
        std::vector<uint32_t> bytes;             // the source of each byte
        for (uint32_t i = 0; i < uint32_t(g_.kind.width()); ++i)
            bytes.push_back((2 * i + 1) << 24 | (2 * i) << 16 | ZEROS);
        g_.vmovups(order, g_.ptr[g_.constant(bytes)]);
    }

    // Loads each vector into the register of its slot.
    void load_all(std::span<const vmm> to, const reg &row, places vectors, jitnorm_data_type_t type) {
        for (size_t i = 0; i < vectors.size(); ++i) {
            const place &p = vectors[i];
            if (!in_unpack_order(vectors))
                load(to[p.slot], row, p, type);
            else if (i % 2 == 0)
                load_pair(ymm_of(to[p.slot]), ymm_of(to[p.slot + 1]), loop_.at(row, p, element_bytes(type)), type);
        }
    }

    // Loads one vector. Absent elements of an incomplete vector become zero.
    void load(const vmm &v, const reg &row, const place &p, jitnorm_data_type_t type) {
        const bool own = type == g_.kind.compute;
        if (p.tail) {
            load_incomplete(v, row, p, element_bytes(type));
            if (!own) widen(v, g_.elements(v, element_bytes(type)), type);
            return;
        }
        const auto from = g_.ptr[loop_.at(row, p, element_bytes(type))];
        own ? g_.ops.load(v, from) : widen(v, from, type);
    }

    // Calls body(p, x) with the vector as an operand. x is memory if the vector is whole and has the compute type;
    // otherwise the vector is loaded into v, and x is v.
    void use(const vmm &v, const reg &row, const place &p, jitnorm_data_type_t type, vector_body body) {
        if (type == g_.kind.compute && !p.tail) return body(p, g_.ptr[loop_.at(row, p, element_bytes(type))]);
        load(v, row, p, type);
        body(p, v);
    }

    // The same for several vectors, with the register of each vector's slot.
    void use_all(std::span<const vmm> v, const reg &row, places vectors, jitnorm_data_type_t type, vector_body body) {
        const bool loaded = in_unpack_order(vectors);
        if (loaded) load_all(v, row, vectors, type);
        for (const place &p : vectors) {
            const vmm &in_slot = v[p.slot];
            loaded ? body(p, in_slot) : use(in_slot, row, p, type, body);
        }
    }

    // Loads center - x for each x of one vector or of several: so x can be an operand in memory, and the instructions
    // that use the difference change its sign without extra work. Absent elements of an incomplete vector have
    // undefined differences.
    void load_difference(const vmm &to, const vmm &center, const reg &row, const place &p, jitnorm_data_type_t type) {
        use(to, row, p, type, [&](const place &, const Xbyak::Operand &x) { g_.ops.sub(to, center, x); });
    }
    void load_all_differences(std::span<const vmm> to, const vmm &center, const reg &row, places vectors,
                              jitnorm_data_type_t type) {
        use_all(to, row, vectors, type,
                [&](const place &p, const Xbyak::Operand &x) { g_.ops.sub(to[p.slot], center, x); });
    }

    // Loads the first four elements of a row that is normalized, so not of s32, into the lowest lanes of v, as floats.
    void load_four(const vmm &v, const reg &at, jitnorm_data_type_t type) {
        const Xbyak::Xmm floats = xmm_of(v);
        type == jitnorm_f32 ? g_.vmovups(floats, g_.ptr[at]) : widen_to_floats(floats, g_.ptr[at], type);
    }

    // Round as narrowing does; both change the work registers.
    void round(const vmm &v, jitnorm_data_type_t type) { narrowing_.round(v, type); }
    void round_normalized(const vmm &v, jitnorm_data_type_t type) { narrowing_.round_normalized(v, v, type); }

    // Stores one vector. Narrower types change v and the work registers.
    void store(const reg &row, const place &p, const vmm &v, jitnorm_data_type_t type, bool non_temporal) {
        const int size = element_bytes(type);
        const Xbyak::RegExp at = loop_.at(row, p, size);
        if (type != g_.kind.compute) {
            narrowing_.one(v, type);
            p.tail ? store_incomplete(at, v, size) : store_whole(at, v, g_.kind.width() * size, non_temporal);
        } else if (p.tail) {
            tail_.store(at, v);
        } else {
            non_temporal ? g_.ops.store_non_temporal(g_.ptr[at], v) : g_.ops.store(g_.ptr[at], v);
        }
    }

    // Stores several vectors of a row, which are in the registers of their slots. They must be results of arithmetic
    // (narrowing::two()).
    void store_all(const reg &row, places vectors, std::span<const vmm> v, jitnorm_data_type_t type,
                   bool non_temporal) {
        const auto held = [&](const place &p) { return v[p.slot]; };
        const bool own = type == g_.kind.compute;
        if (own || vectors.size() != 2 || vectors[1].tail || !narrowing::joins_two(g_.kind, type)) {
            for (const place &p : vectors) store(row, p, held(p), type, non_temporal);
            return;
        }
        narrowing_.two(held(vectors[0]), held(vectors[1]), type, in_unpack_order(vectors));
        const int size = element_bytes(type);
        store_whole(loop_.at(row, vectors[0], size), held(vectors[0]), 2 * g_.kind.width() * size, non_temporal);
    }

    // Stores four whole vectors to bytes (narrowing::four_in_range()).
    void store_four_in_range(const reg &row, places vectors, const std::array<vmm, 4> &v, jitnorm_data_type_t type) {
        narrowing_.four_in_range(v, type);
        store_whole(loop_.at(row, vectors[0], 1), v[0], 4 * g_.kind.width(), false);
    }

private:
    // Uses few loads, because most processors can start only two in a cycle.
    void load_pair(const Xbyak::Ymm &first, const Xbyak::Ymm &second, const Xbyak::RegExp &at,
                   jitnorm_data_type_t type) {
        constexpr int WIDTH = 8, FLOATS = 4, HALVES = 2; // elements of a vector; bytes of an element
        if (type == jitnorm_bf16) {
            g_.vmovups(second, g_.ptr[at]);
            g_.vpunpcklwd(first, *zeros_, second);
            g_.vpunpckhwd(second, *zeros_, second);
        } else if (type == jitnorm_f32) {
            const auto after = g_.ptr[at + WIDTH * FLOATS];
            g_.vmovups(first, g_.ptr[at]);
            g_.vperm2f128(second, first, after, 0x31);
            g_.vinsertf128(first, first, after, 1);
        } else {
            for (const auto &[v, begin] : {std::pair(first, 0), std::pair(second, WIDTH / 2)}) {
                const Xbyak::Xmm low = xmm_of(v);
                g_.vmovq(low, g_.ptr[at + begin * HALVES]);
                g_.vmovhps(low, low, g_.ptr[at + (begin + WIDTH) * HALVES]);
                g_.vcvtph2ps(v, low);
            }
        }
    }

    // Loads the elements of an incomplete vector, as they are stored, to the bottom of v. With AVX-512 a masked
    // conversion from memory would also be possible, but emulators read the whole vector for it.
    void load_incomplete(const vmm &v, const reg &row, const place &p, int size) {
        const Xbyak::RegExp at = loop_.at(row, p, size);
        if (size == g_.kind.element()) return tail_.load(v, at);
        if (!g_.kind.is_avx512()) return pieces_.collect(xmm_of(v), row, p, size);
        const vmm to = g_.elements(v, size) | tail_.opmask() | g_.T_z;
        size == 4 ? g_.vmovups(to, g_.ptr[at]) : size == 2 ? g_.vmovdqu16(to, g_.ptr[at]) : g_.vmovdqu8(to, g_.ptr[at]);
    }

    void widen(const vmm &v, const Xbyak::Operand &from, jitnorm_data_type_t type) {
        if (g_.kind.is_f64()) {
            if (type == jitnorm_s32) return g_.vcvtdq2pd(v, from);
            if (type == jitnorm_f32) return g_.vcvtps2pd(v, from);
            const vmm floats = g_.elements(v, 4);
            widen_to_floats(floats, from, type);
            g_.vcvtps2pd(v, floats);
        } else if (order_ && type == jitnorm_bf16) { // from memory or from v, whose upper half is zero
            if (from.isMEM()) g_.vmovups(g_.elements(v, 2), from);
            g_.vpermb(v, *order_, v);
        } else {
            widen_to_floats(v, from, type);
        }
    }

    void widen_to_floats(const vmm &v, const Xbyak::Operand &from, jitnorm_data_type_t type) {
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

    // Non-temporal stores need at least 16 bytes.
    void store_whole(const Xbyak::RegExp &at, const vmm &v, int bytes, bool non_temporal) {
        const vmm stored = part_of(v, bytes);
        if (bytes == 4) return g_.vmovd(g_.ptr[at], stored);
        if (bytes == 8) return g_.vmovq(g_.ptr[at], stored);
        non_temporal ? g_.vmovntps(g_.ptr[at], stored) : g_.vmovups(g_.ptr[at], stored);
    }

    void store_incomplete(const Xbyak::RegExp &at, const vmm &v, int size) {
        if (!g_.kind.is_avx512()) return pieces_.scatter(at, xmm_of(v), size);
        const auto to = g_.ptr[at] | tail_.opmask();
        const vmm from = g_.elements(v, size);
        size == 4 ? g_.vmovups(to, from) : size == 2 ? g_.vmovdqu16(to, from) : g_.vmovdqu8(to, from);
    }

    kernel_generator &g_;
    tail_mask &tail_;
    vector_loop loop_;
    reg scratch_;
    vector_pieces pieces_{g_, loop_, scratch_};
    narrowing narrowing_;
    std::optional<vmm> zeros_, order_;
};

} // namespace jitnorm::impl::jit
