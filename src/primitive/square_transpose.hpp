// SPDX-License-Identifier: Apache-2.0
// square_transpose: small squares of elements turned over their diagonal in SSE2 registers, which every x86-64 has.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstring>

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

// Elements of `Size` bytes, Edge x Edge of them: to[j][i] = from[i][j], where lines are a pitch in bytes apart.
template <size_t Size, dim_t Edge>
struct square_transpose;

// The largest and the smallest squares there are for elements of this size.
constexpr dim_t largest_square(size_t size) { return size >= 4 ? dim_t(16 / size) : 8; }
constexpr dim_t smallest_square(size_t size) { return size == 1 ? 4 : 2; }

inline __m128i load_16(const char *from) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)); }
inline void store_16(char *to, __m128i value) { _mm_storeu_si128(reinterpret_cast<__m128i *>(to), value); }
inline __m128i load_4(const char *from) {
    int value;
    std::memcpy(&value, from, 4);
    return _mm_cvtsi32_si128(value);
}
inline void store_4(char *to, __m128i value) {
    const int low = _mm_cvtsi128_si32(value);
    std::memcpy(to, &low, 4);
}
inline __m128i load_8(const char *from) { return _mm_loadl_epi64(reinterpret_cast<const __m128i *>(from)); }
inline void store_low_8(char *to, __m128i value) { _mm_storel_epi64(reinterpret_cast<__m128i *>(to), value); }
inline void store_high_8(char *to, __m128i value) {
    _mm_storeh_pi(reinterpret_cast<__m64 *>(to), _mm_castsi128_ps(value));
}

// Each step joins pairs of lines into pieces twice as wide, until a register, or a part of one, is a line of the
// result.
template <>
struct square_transpose<8, 2> {
    [[gnu::always_inline]] static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        const __m128i a = load_16(from), b = load_16(from + from_pitch);
        store_16(to, _mm_unpacklo_epi64(a, b));
        store_16(to + to_pitch, _mm_unpackhi_epi64(a, b));
    }
};

template <>
struct square_transpose<4, 4> {
    [[gnu::always_inline]] static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        const __m128i a = load_16(from), b = load_16(from + from_pitch);
        const __m128i c = load_16(from + 2 * from_pitch), d = load_16(from + 3 * from_pitch);
        const __m128i ab_low = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);
        const __m128i cd_low = _mm_unpacklo_epi32(c, d), cd_high = _mm_unpackhi_epi32(c, d);
        store_16(to, _mm_unpacklo_epi64(ab_low, cd_low));
        store_16(to + to_pitch, _mm_unpackhi_epi64(ab_low, cd_low));
        store_16(to + 2 * to_pitch, _mm_unpacklo_epi64(ab_high, cd_high));
        store_16(to + 3 * to_pitch, _mm_unpackhi_epi64(ab_high, cd_high));
    }
};

template <>
struct square_transpose<4, 2> {
    [[gnu::always_inline]] static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        const __m128i both = _mm_unpacklo_epi32(load_8(from), load_8(from + from_pitch));
        store_low_8(to, both);
        store_high_8(to + to_pitch, both);
    }
};

template <>
struct square_transpose<2, 8> {
    [[gnu::always_inline]] static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        const four_lines upper(from, from_pitch), lower(from + 4 * from_pitch, from_pitch);
        store_pair(upper.elements_01, lower.elements_01, to, to_pitch);
        store_pair(upper.elements_23, lower.elements_23, to + 2 * to_pitch, to_pitch);
        store_pair(upper.elements_45, lower.elements_45, to + 4 * to_pitch, to_pitch);
        store_pair(upper.elements_67, lower.elements_67, to + 6 * to_pitch, to_pitch);
    }

private:
    // Of four lines the elements 0, then the elements 1, and so on.
    struct four_lines {
        __m128i elements_01, elements_23, elements_45, elements_67;
        [[gnu::always_inline]] four_lines(const char *from, dim_t pitch) {
            const __m128i a = load_16(from), b = load_16(from + pitch);
            const __m128i c = load_16(from + 2 * pitch), d = load_16(from + 3 * pitch);
            const __m128i ab_low = _mm_unpacklo_epi16(a, b), ab_high = _mm_unpackhi_epi16(a, b);
            const __m128i cd_low = _mm_unpacklo_epi16(c, d), cd_high = _mm_unpackhi_epi16(c, d);
            elements_01 = _mm_unpacklo_epi32(ab_low, cd_low);
            elements_23 = _mm_unpackhi_epi32(ab_low, cd_low);
            elements_45 = _mm_unpacklo_epi32(ab_high, cd_high);
            elements_67 = _mm_unpackhi_epi32(ab_high, cd_high);
        }
    };

    static void store_pair(__m128i upper, __m128i lower, char *to, dim_t pitch) {
        store_16(to, _mm_unpacklo_epi64(upper, lower));
        store_16(to + pitch, _mm_unpackhi_epi64(upper, lower));
    }
};

template <>
struct square_transpose<2, 4> {
    [[gnu::always_inline]] static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        const __m128i ab = _mm_unpacklo_epi16(load_8(from), load_8(from + from_pitch));
        const __m128i cd = _mm_unpacklo_epi16(load_8(from + 2 * from_pitch), load_8(from + 3 * from_pitch));
        const __m128i low = _mm_unpacklo_epi32(ab, cd), high = _mm_unpackhi_epi32(ab, cd);
        store_low_8(to, low);
        store_high_8(to + to_pitch, low);
        store_low_8(to + 2 * to_pitch, high);
        store_high_8(to + 3 * to_pitch, high);
    }
};

template <>
struct square_transpose<2, 2> {
    [[gnu::always_inline]] static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        const __m128i both = _mm_unpacklo_epi16(load_4(from), load_4(from + from_pitch));
        store_4(to, both);
        store_4(to + to_pitch, _mm_srli_si128(both, 4));
    }
};

template <>
struct square_transpose<1, 8> {
    [[gnu::always_inline]] static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        const __m128i ab = load_pair(from, from_pitch), cd = load_pair(from + 2 * from_pitch, from_pitch);
        const __m128i ef = load_pair(from + 4 * from_pitch, from_pitch);
        const __m128i gh = load_pair(from + 6 * from_pitch, from_pitch);
        const __m128i abcd_low = _mm_unpacklo_epi16(ab, cd), abcd_high = _mm_unpackhi_epi16(ab, cd);
        const __m128i efgh_low = _mm_unpacklo_epi16(ef, gh), efgh_high = _mm_unpackhi_epi16(ef, gh);
        store_pair(_mm_unpacklo_epi32(abcd_low, efgh_low), to, to_pitch);
        store_pair(_mm_unpackhi_epi32(abcd_low, efgh_low), to + 2 * to_pitch, to_pitch);
        store_pair(_mm_unpacklo_epi32(abcd_high, efgh_high), to + 4 * to_pitch, to_pitch);
        store_pair(_mm_unpackhi_epi32(abcd_high, efgh_high), to + 6 * to_pitch, to_pitch);
    }

private:
    static __m128i load_pair(const char *from, dim_t pitch) {
        return _mm_unpacklo_epi8(load_8(from), load_8(from + pitch));
    }
    static void store_pair(__m128i lines, char *to, dim_t pitch) {
        store_low_8(to, lines);
        store_high_8(to + pitch, lines);
    }
};

template <>
struct square_transpose<1, 4> {
    [[gnu::always_inline]] static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        const __m128i ab = _mm_unpacklo_epi8(load_4(from), load_4(from + from_pitch));
        const __m128i cd = _mm_unpacklo_epi8(load_4(from + 2 * from_pitch), load_4(from + 3 * from_pitch));
        const __m128i all = _mm_unpacklo_epi16(ab, cd);
        store_4(to, all);
        store_4(to + to_pitch, _mm_srli_si128(all, 4));
        store_4(to + 2 * to_pitch, _mm_srli_si128(all, 8));
        store_4(to + 3 * to_pitch, _mm_srli_si128(all, 12));
    }
};

} // namespace jitnorm::impl::layer_norm
