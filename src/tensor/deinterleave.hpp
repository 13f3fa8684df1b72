// SPDX-License-Identifier: Apache-2.0
// deinterleave: collects every second element of an array, in AVX2 registers. Callers run only on processors with AVX2,
// as all code around kernels does.
#pragma once

#include <immintrin.h>

#include <cstddef>

#include "../base/dim.hpp"

namespace jitnorm::impl::layer_norm {

// to[i] = from[2 i] for ELEMENTS elements of `Size` bytes each.
template <size_t Size>
class deinterleave {
public:
    static constexpr dim_t ELEMENTS = 32 / dim_t(Size);

    // Also reads the elements between, and the one behind the last.
    [[gnu::target("avx2"), gnu::always_inline]] static void run(const char *from, char *to) {
        const auto *pair = reinterpret_cast<const __m256i *>(from);
        const __m256i both = even_ones(_mm256_loadu_si256(pair), _mm256_loadu_si256(pair + 1));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), _mm256_permute4x64_epi64(both, 0b11011000));
    }

private:
    // The elements with even numbers, for each half of the registers: those of a's half, then those of b's half.
    [[gnu::target("avx2"), gnu::always_inline]] static __m256i even_ones(__m256i a, __m256i b) {
        if constexpr (Size == 8) return _mm256_unpacklo_epi64(a, b);
        if constexpr (Size == 4)
            return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0b10001000));
        const __m256i low = Size == 2 ? _mm256_set1_epi32(0xffff) : _mm256_set1_epi16(0xff);
        a = _mm256_and_si256(a, low);
        b = _mm256_and_si256(b, low);
        return Size == 2 ? _mm256_packus_epi32(a, b) : _mm256_packus_epi16(a, b);
    }
};

// Collects as many of `count` elements that lie two apart as fill whole registers, and returns how many. Reads nothing
// behind the last of the `count` elements.
template <size_t Size>
[[gnu::target("avx2")]] dim_t gather_deinterleaved(dim_t count, const char *from, char *to) {
    constexpr dim_t TOGETHER = deinterleave<Size>::ELEMENTS;
    dim_t i = 0;
    for (; i + TOGETHER < count; i += TOGETHER)
        deinterleave<Size>::run(from + 2 * i * dim_t(Size), to + i * dim_t(Size));
    return i;
}

} // namespace jitnorm::impl::layer_norm
