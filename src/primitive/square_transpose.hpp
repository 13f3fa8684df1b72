// SPDX-License-Identifier: Apache-2.0
// square_transpose: small squares of elements turned over their diagonal in SSE2 registers, which every x86-64 has.
#pragma once

#include <emmintrin.h>

#include <cstddef>

#include "../core/memory_desc.hpp"

namespace jitnorm::impl::layer_norm {

// Elements of `Size` bytes, EDGE x EDGE of them: to[j][i] = from[i][j], where lines are a pitch in bytes apart.
template <size_t Size>
struct square_transpose;

template <>
struct square_transpose<8> {
    static constexpr dim_t EDGE = 2;
    static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        const __m128d a = _mm_loadu_pd(reinterpret_cast<const double *>(from));
        const __m128d b = _mm_loadu_pd(reinterpret_cast<const double *>(from + from_pitch));
        _mm_storeu_pd(reinterpret_cast<double *>(to), _mm_unpacklo_pd(a, b));
        _mm_storeu_pd(reinterpret_cast<double *>(to + to_pitch), _mm_unpackhi_pd(a, b));
    }
};

inline __m128i load_16(const char *from) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)); }
inline void store_16(char *to, __m128i value) { _mm_storeu_si128(reinterpret_cast<__m128i *>(to), value); }
inline __m128i load_8(const char *from) { return _mm_loadl_epi64(reinterpret_cast<const __m128i *>(from)); }
inline void store_low_8(char *to, __m128i value) { _mm_storel_epi64(reinterpret_cast<__m128i *>(to), value); }
inline void store_high_8(char *to, __m128i value) {
    _mm_storeh_pi(reinterpret_cast<__m64 *>(to), _mm_castsi128_ps(value));
}

// Each step below joins pairs of lines into pieces twice as wide, until a register is a line of the result.
template <>
struct square_transpose<4> {
    static constexpr dim_t EDGE = 4;
    static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
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
struct square_transpose<2> {
    static constexpr dim_t EDGE = 8;
    static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        __m128i line[8], pair[8], four[8];
        for (int i = 0; i < 8; ++i) line[i] = load_16(from + i * from_pitch);
        for (int i = 0; i < 4; ++i) {
            pair[2 * i] = _mm_unpacklo_epi16(line[2 * i], line[2 * i + 1]);
            pair[2 * i + 1] = _mm_unpackhi_epi16(line[2 * i], line[2 * i + 1]);
        }
        for (int i = 0; i < 2; ++i)
            for (int half = 0; half < 2; ++half) { // of a line: elements 0-3, 4-7
                four[4 * i + 2 * half] = _mm_unpacklo_epi32(pair[4 * i + half], pair[4 * i + 2 + half]);
                four[4 * i + 2 * half + 1] = _mm_unpackhi_epi32(pair[4 * i + half], pair[4 * i + 2 + half]);
            }
        for (int j = 0; j < 4; ++j) {
            store_16(to + 2 * j * to_pitch, _mm_unpacklo_epi64(four[j], four[4 + j]));
            store_16(to + (2 * j + 1) * to_pitch, _mm_unpackhi_epi64(four[j], four[4 + j]));
        }
    }
};

template <>
struct square_transpose<1> {
    static constexpr dim_t EDGE = 8; // lines of half a register
    static void run(const char *from, dim_t from_pitch, char *to, dim_t to_pitch) {
        __m128i pair[4], four[4];
        for (int i = 0; i < 4; ++i)
            pair[i] = _mm_unpacklo_epi8(load_8(from + 2 * i * from_pitch), load_8(from + (2 * i + 1) * from_pitch));
        for (int i = 0; i < 2; ++i) {
            four[2 * i] = _mm_unpacklo_epi16(pair[2 * i], pair[2 * i + 1]);
            four[2 * i + 1] = _mm_unpackhi_epi16(pair[2 * i], pair[2 * i + 1]);
        }
        for (int j = 0; j < 2; ++j) { // elements 4j .. 4j+3 of all lines
            const __m128i low = _mm_unpacklo_epi32(four[j], four[2 + j]);
            const __m128i high = _mm_unpackhi_epi32(four[j], four[2 + j]);
            store_low_8(to + 4 * j * to_pitch, low);
            store_high_8(to + (4 * j + 1) * to_pitch, low);
            store_low_8(to + (4 * j + 2) * to_pitch, high);
            store_high_8(to + (4 * j + 3) * to_pitch, high);
        }
    }
};

} // namespace jitnorm::impl::layer_norm
