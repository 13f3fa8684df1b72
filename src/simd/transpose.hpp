// SPDX-License-Identifier: Apache-2.0
// transpose: transposes small rectangles of elements of 1 to 8 bytes in SSE2 and AVX2 registers. Callers run only on
// processors with AVX2, as all code around kernels does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <immintrin.h>

#include "../base/bytes.hpp"

namespace jitnorm::impl::layer_norm {

// The attribute of a function into which the functions below are inlined.
#define JITNORM_INLINES_SIMD [[gnu::target("avx2")]]

// ---- lines: `Bytes` bytes of elements that have `Size` bytes each; in a register they are its low bytes

constexpr int low_bytes(int bytes) { return std::min(bytes, 8); } // as many bytes of a line as a general register has

// The elements are adjacent in memory.
struct dense_line {
    template <size_t Size, int Bytes>
    [[gnu::always_inline, gnu::target("avx2")]] static __m128i load(const char *from, dim_t) {
        if constexpr (Bytes == 16) return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
        int64_t low = 0;
        std::memcpy(&low, from, size_t(low_bytes(Bytes)));
        return _mm_cvtsi64_si128(low);
    }
    template <size_t Size, int Bytes>
    [[gnu::always_inline, gnu::target("avx2")]] static void store(char *to, dim_t, __m128i line) {
        if constexpr (Bytes == 16) return _mm_storeu_si128(reinterpret_cast<__m128i *>(to), line);
        const int64_t low = _mm_cvtsi128_si64(line);
        std::memcpy(to, &low, size_t(low_bytes(Bytes)));
    }
};

// The elements have a step of `step` bytes. They are collected in a general register, which needs no vector instruction
// for each element. Lines of 16 bytes are loaded and stored by function calls: if these were inlined for every line of
// a square, their addresses would fill the registers and spill to the stack.
struct spread_line {
    template <size_t Size>
    using element =
        std::conditional_t<Size == 8, uint64_t,
                           std::conditional_t<Size == 4, uint32_t, std::conditional_t<Size == 2, uint16_t, uint8_t>>>;

    template <size_t Size, int Bytes>
    [[gnu::always_inline]] static uint64_t collect(const char *from, dim_t step) {
        uint64_t word = 0;
#pragma GCC unroll 8
        for (int i = 0; i < Bytes / int(Size); ++i) {
            element<Size> e;
            std::memcpy(&e, from + i * step, Size);
            word |= uint64_t(e) << (8 * int(Size) * i);
        }
        asm("" : "+r"(word)); // otherwise GCC builds a vector by way of the stack, which is many times slower
        return word;
    }
    template <size_t Size, int Bytes>
    [[gnu::always_inline]] static void spread(uint64_t word, char *to, dim_t step) {
#pragma GCC unroll 8
        for (int i = 0; i < Bytes / int(Size); ++i) {
            const auto e = element<Size>(word >> (8 * int(Size) * i));
            std::memcpy(to + i * step, &e, Size);
        }
    }

    template <size_t Size, int Bytes>
    [[gnu::always_inline, gnu::target("avx2")]] static __m128i load(const char *from, dim_t step) {
        if constexpr (Bytes == 16) return load_16<Size>(from, step);
        return _mm_cvtsi64_si128(int64_t(collect<Size, low_bytes(Bytes)>(from, step)));
    }
    template <size_t Size, int Bytes>
    [[gnu::always_inline, gnu::target("avx2")]] static void store(char *to, dim_t step, __m128i line) {
        if constexpr (Bytes == 16) return store_16<Size>(to, step, line);
        spread<Size, low_bytes(Bytes)>(uint64_t(_mm_cvtsi128_si64(line)), to, step);
    }

private:
    template <size_t Size>
    [[gnu::noinline, gnu::target("avx2")]] static __m128i load_16(const char *from, dim_t step) {
        const auto high = collect<Size, 8>(from + 8 / dim_t(Size) * step, step);
        return _mm_set_epi64x(int64_t(high), int64_t(collect<Size, 8>(from, step)));
    }
    template <size_t Size>
    [[gnu::noinline, gnu::target("avx2")]] static void store_16(char *to, dim_t step, __m128i line) {
        spread<Size, 8>(uint64_t(_mm_cvtsi128_si64(line)), to, step);
        spread<Size, 8>(uint64_t(_mm_extract_epi64(line, 1)), to + 8 / dim_t(Size) * step, step);
    }
};

// ---- the elements of two lines, alternating: of the lower halves or of the upper halves

#define JITNORM_INTERLEAVE(name, vector, unpack)                                                                       \
    template <size_t Size>                                                                                             \
    [[gnu::always_inline, gnu::target("avx2")]] inline vector name(vector a, vector b) {                               \
        if constexpr (Size == 1) return unpack##_epi8(a, b);                                                           \
        if constexpr (Size == 2) return unpack##_epi16(a, b);                                                          \
        if constexpr (Size == 4) return unpack##_epi32(a, b);                                                          \
        return unpack##_epi64(a, b);                                                                                   \
    }
JITNORM_INTERLEAVE(interleave_low, __m128i, _mm_unpacklo)
JITNORM_INTERLEAVE(interleave_high, __m128i, _mm_unpackhi)
JITNORM_INTERLEAVE(interleave_low, __m256i, _mm256_unpacklo)
JITNORM_INTERLEAVE(interleave_high, __m256i, _mm256_unpackhi)
#undef JITNORM_INTERLEAVE

// ---- rectangles: to[j][i] = from[i][j]; a pitch is the bytes from line to line, a step those from element to element

// Transposes a square of `Edge` lines of `Edge` elements, at most 16 bytes, or in AVX2 registers two such squares. Each
// round interleaves line i with line i + Edge / 2. After log2(Edge) rounds the square is transposed.
template <size_t Size, int Edge, typename Vector>
[[gnu::always_inline, gnu::target("avx2")]] inline void transpose_lines(Vector (&lines)[Edge]) {
    constexpr int BYTES = Edge * int(Size);
    Vector next[Edge];
#pragma GCC unroll 4
    for (int round = 1; round < Edge; round *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < Edge / 2; ++i) {
            next[2 * i] = interleave_low<Size>(lines[i], lines[i + Edge / 2]);
            if constexpr (BYTES == 16)
                next[2 * i + 1] = interleave_high<Size>(lines[i], lines[i + Edge / 2]);
            else
                next[2 * i + 1] = _mm_srli_si128(next[2 * i], BYTES);
        }
#pragma GCC unroll 16
        for (int i = 0; i < Edge; ++i) lines[i] = next[i];
    }
}

template <size_t Size, int Edge, typename From, typename To>
struct square_transpose {
    static constexpr int FROM_LINES = Edge, FROM_ELEMENTS = Edge, BYTES = Edge * int(Size);

    [[gnu::always_inline, gnu::target("avx2")]] static void run(const char *from, dim_t from_pitch, dim_t from_step,
                                                                char *to, dim_t to_pitch, dim_t to_step) {
        __m128i lines[Edge];
#pragma GCC unroll 16
        for (int i = 0; i < Edge; ++i) lines[i] = From::template load<Size, BYTES>(from + i * from_pitch, from_step);
        transpose_lines<Size>(lines);
#pragma GCC unroll 16
        for (int i = 0; i < Edge; ++i) To::template store<Size, BYTES>(to + i * to_pitch, to_step, lines[i]);
    }
};

// Transposes lines of 16 bytes to half as many lines of 32 bytes: two squares at once, one in each half of a register.
template <size_t Size>
struct wide_transpose {
    static constexpr int FROM_LINES = 32 / int(Size), FROM_ELEMENTS = 16 / int(Size);

    [[gnu::always_inline, gnu::target("avx2")]] static void run(const char *from, dim_t from_pitch, dim_t, char *to,
                                                                dim_t to_pitch, dim_t) {
        constexpr int EDGE = FROM_ELEMENTS;
        __m256i lines[EDGE];
#pragma GCC unroll 16
        for (int i = 0; i < EDGE; ++i) {
            const __m128i low = dense_line::load<Size, 16>(from + i * from_pitch, Size);
            const __m128i high = dense_line::load<Size, 16>(from + (i + EDGE) * from_pitch, Size);
            lines[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        }
        transpose_lines<Size>(lines);
#pragma GCC unroll 16
        for (int i = 0; i < EDGE; ++i) _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i * to_pitch), lines[i]);
    }
};

} // namespace jitnorm::impl::layer_norm
