// SPDX-License-Identifier: Apache-2.0
#include "element_io.hpp"

namespace jitnorm::impl::jit {

bool unpacks_for_less(const vector_kind &kind, jitnorm_data_type_t type) {
    return !kind.is_avx512() && !kind.is_f64() && type == jitnorm_bf16;
}

void element_io::use_unpack_order(const vmm &zeros) {
    zeros_ = zeros;
    g_.ops.clear(zeros);
}

void element_io::permute_bf16(const vmm &order) {
    if (!g_.kind.is_avx512() || g_.kind.is_f64() || !has_avx512_vbmi()) return;
    order_ = order;
    constexpr uint32_t ZEROS = 63 << 8 | 63; // the last byte, because a load of half a vector clears the rest
    std::vector<uint32_t> bytes;             // the source of each byte
    for (uint32_t i = 0; i < uint32_t(g_.kind.width()); ++i) bytes.push_back((2 * i + 1) << 24 | (2 * i) << 16 | ZEROS);
    g_.vmovups(order, g_.ptr[g_.constant(bytes)]);
}

// ---- to the compute type

void element_io::load_all(std::span<const vmm> to, const reg &row, places vectors, jitnorm_data_type_t type) {
    for (size_t i = 0; i < vectors.size(); ++i) {
        const place &p = vectors[i];
        const auto slot = size_t(p.slot);
        if (!in_unpack_order(vectors))
            load(to[slot], row, p, type);
        else if (i % 2 == 0)
            load_pair(ymm_of(to[slot]), ymm_of(to[slot + 1]), loop_.at(row, p, element_bytes(type)), type);
    }
}

void element_io::load(const vmm &v, const reg &row, const place &p, jitnorm_data_type_t type) {
    const bool own = type == g_.kind.compute;
    if (p.tail) {
        load_incomplete(v, row, p, element_bytes(type));
        if (!own) widen(v, g_.elements(v, element_bytes(type)), type);
        return;
    }
    const auto from = g_.ptr[loop_.at(row, p, element_bytes(type))];
    own ? g_.ops.load(v, from) : widen(v, from, type);
}

void element_io::use(const vmm &v, const reg &row, const place &p, jitnorm_data_type_t type, vector_body body) {
    if (type == g_.kind.compute && !p.tail) return body(p, g_.ptr[loop_.at(row, p, element_bytes(type))]);
    load(v, row, p, type);
    body(p, v);
}

void element_io::use_all(std::span<const vmm> v, const reg &row, places vectors, jitnorm_data_type_t type,
                         vector_body body) {
    const bool loaded = in_unpack_order(vectors);
    if (loaded) load_all(v, row, vectors, type);
    for (const place &p : vectors) {
        const vmm &in_slot = v[size_t(p.slot)];
        loaded ? body(p, in_slot) : use(in_slot, row, p, type, body);
    }
}

void element_io::load_first(const vmm &v, const reg &at, jitnorm_data_type_t type) {
    const Xbyak::Xmm x = xmm_of(v);
    if (type == g_.kind.compute) return g_.ops.load_lowest(x, g_.ptr[at]);
    if (element_bytes(type) == 4) g_.vmovd(x, g_.ptr[at]);
    if (element_bytes(type) < 4) {
        element_bytes(type) == 2 ? g_.movzx(scratch_.cvt32(), g_.word[at]) : g_.movzx(scratch_.cvt32(), g_.byte[at]);
        g_.vmovd(x, scratch_.cvt32());
    }
    widen_to_floats(x, x, type);
    if (g_.kind.is_f64()) g_.vcvtps2pd(x, x);
}

void element_io::load_four(const vmm &v, const reg &at, jitnorm_data_type_t type) {
    const Xbyak::Xmm floats = xmm_of(v);
    const vmm numbers = part_of(v, 4 * g_.kind.element());
    if (type == g_.kind.compute) return g_.ops.load(numbers, g_.ptr[at]);
    type == jitnorm_f32 ? g_.vmovups(floats, g_.ptr[at]) : widen_to_floats(floats, g_.ptr[at], type);
    if (g_.kind.is_f64()) g_.vcvtps2pd(numbers, floats);
}

// Uses few loads, because most processors can start only two in a cycle.
void element_io::load_pair(const Xbyak::Ymm &first, const Xbyak::Ymm &second, const Xbyak::RegExp &at,
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

// Loads the elements of an incomplete vector, as they are stored, to the bottom of v. With AVX-512 a masked conversion
// from memory would also be possible, but emulators read the whole vector for it.
void element_io::load_incomplete(const vmm &v, const reg &row, const place &p, int size) {
    const Xbyak::RegExp at = loop_.at(row, p, size);
    if (size == g_.kind.element()) return tail_.load(v, at);
    if (!g_.kind.is_avx512()) return pieces_.collect(xmm_of(v), row, p, size);
    const vmm to = g_.elements(v, size) | tail_.opmask() | g_.T_z;
    size == 4 ? g_.vmovups(to, g_.ptr[at]) : size == 2 ? g_.vmovdqu16(to, g_.ptr[at]) : g_.vmovdqu8(to, g_.ptr[at]);
}

void element_io::widen(const vmm &v, const Xbyak::Operand &from, jitnorm_data_type_t type) {
    if (g_.kind.is_f64()) {
        if (type == jitnorm_s32) return g_.vcvtdq2pd(v, from);
        if (type == jitnorm_f32) return g_.vcvtps2pd(v, from);
        const vmm floats = g_.elements(v, 4);
        widen_to_floats(floats, from, type);
        g_.vcvtps2pd(v, floats);
    } else if (order_ && type == jitnorm_bf16) {
        permute(v, from);
    } else {
        widen_to_floats(v, from, type);
    }
}

// `from` is memory or the lower half of v, whose upper half is zero.
void element_io::permute(const vmm &v, const Xbyak::Operand &from) {
    if (from.isMEM()) g_.vmovups(g_.elements(v, 2), from);
    g_.vpermb(v, *order_, v);
}

void element_io::widen_to_floats(const vmm &v, const Xbyak::Operand &from, jitnorm_data_type_t type) {
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

// ---- stores

void element_io::store(const reg &row, const place &p, const vmm &v, jitnorm_data_type_t type, bool non_temporal) {
    const int size = element_bytes(type);
    const Xbyak::RegExp at = loop_.at(row, p, size);
    if (type != g_.kind.compute) {
        narrowing_.value().one(v, type);
        p.tail ? store_incomplete(at, v, size) : store_whole(at, v, g_.kind.width() * size, non_temporal);
    } else if (p.tail) {
        tail_.store(at, v);
    } else {
        non_temporal ? g_.ops.store_non_temporal(g_.ptr[at], v) : g_.ops.store(g_.ptr[at], v);
    }
}

void element_io::store_all(const reg &row, places vectors, std::span<const vmm> v, jitnorm_data_type_t type,
                           bool non_temporal) {
    const auto held = [&](const place &p) { return v[size_t(p.slot)]; };
    if (vectors.size() != 2 || vectors[1].tail || !narrowing::joins_two(g_.kind, type)) {
        for (const place &p : vectors) store(row, p, held(p), type, non_temporal);
        return;
    }
    narrowing_.value().two(held(vectors[0]), held(vectors[1]), type, in_unpack_order(vectors));
    const int size = element_bytes(type);
    store_whole(loop_.at(row, vectors[0], size), held(vectors[0]), 2 * g_.kind.width() * size, non_temporal);
}

void element_io::store_four_in_range(const reg &row, places vectors, const std::array<vmm, 4> &v,
                                     jitnorm_data_type_t type) {
    narrowing_.value().four_in_range(v, type);
    store_whole(loop_.at(row, vectors[0], 1), v[0], 4 * g_.kind.width(), false);
}

// Non-temporal stores need at least 16 bytes.
void element_io::store_whole(const Xbyak::RegExp &at, const vmm &v, int bytes, bool non_temporal) {
    const vmm stored = part_of(v, bytes);
    if (bytes == 4) return g_.vmovd(g_.ptr[at], stored);
    if (bytes == 8) return g_.vmovq(g_.ptr[at], stored);
    non_temporal ? g_.vmovntps(g_.ptr[at], stored) : g_.vmovups(g_.ptr[at], stored);
}

void element_io::store_incomplete(const Xbyak::RegExp &at, const vmm &v, int size) {
    if (!g_.kind.is_avx512()) return pieces_.scatter(at, xmm_of(v), size);
    const auto to = g_.ptr[at] | tail_.opmask();
    const vmm from = g_.elements(v, size);
    size == 4 ? g_.vmovups(to, from) : size == 2 ? g_.vmovdqu16(to, from) : g_.vmovdqu8(to, from);
}

} // namespace jitnorm::impl::jit
