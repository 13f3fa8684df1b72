// SPDX-License-Identifier: Apache-2.0
// Plain loops.
#include "row_steps.hpp"

#include <bit>

namespace benchdnn_lite {

namespace {

// Compiles a version of a function for each instruction set that the library has kernels for. Sanitizers do without:
// the version is chosen while the program is loaded, before they are ready.
#ifdef JITNORM_SANITIZED
#define BENCHDNN_LITE_FOR_ALL_SETS
#else
#define BENCHDNN_LITE_FOR_ALL_SETS __attribute__((target_clones("avx512f", "avx2", "default")))
#endif

inline float widened(float value) { return value; }
inline float widened(bf16_bits value) { return std::bit_cast<float>(uint32_t(value.bits) << 16); }

inline void store(float &to, float value) { to = value; }
inline void store(bf16_bits &to, float value) { // rounds numbers (not NaN) to nearest, ties to even
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    to.bits = uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <bool BIASED, typename T>
inline __attribute__((always_inline)) void add_row(const T *a, const T *b, const float *bias, T *sum, ptrdiff_t n) {
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; ++i) {
        float x = widened(a[i]) + widened(b[i]);
        if constexpr (BIASED) x += bias[i];
        store(sum[i], x);
    }
}

template <typename T>
inline __attribute__((always_inline)) float quantize_row(const T *from, int8_t *to, ptrdiff_t n) {
    uint32_t largest = 0; // floats without a sign are ordered as their bits are
#pragma omp simd reduction(max : largest)
    for (ptrdiff_t i = 0; i < n; ++i) {
        const uint32_t magnitude = std::bit_cast<uint32_t>(widened(from[i])) & 0x7fffffff;
        largest = largest > magnitude ? largest : magnitude;
    }
    const float scale = std::bit_cast<float>(largest) / 127, factor = 1 / scale;
    constexpr float ROUNDS = 12582912; // 1.5 * 2^23: a sum with it has the nearest integer in its last bits
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; ++i)
        to[i] = int8_t(std::bit_cast<uint32_t>(widened(from[i]) * factor + ROUNDS) & 0xff);
    return scale;
}

BENCHDNN_LITE_FOR_ALL_SETS
void add_floats(const float *a, const float *b, const float *bias, float *sum, ptrdiff_t n) {
    bias ? add_row<true>(a, b, bias, sum, n) : add_row<false>(a, b, bias, sum, n);
}
BENCHDNN_LITE_FOR_ALL_SETS
void add_bf16(const bf16_bits *a, const bf16_bits *b, const float *bias, bf16_bits *sum, ptrdiff_t n) {
    bias ? add_row<true>(a, b, bias, sum, n) : add_row<false>(a, b, bias, sum, n);
}
BENCHDNN_LITE_FOR_ALL_SETS
float quantize_floats(const float *from, int8_t *to, ptrdiff_t n) { return quantize_row(from, to, n); }
BENCHDNN_LITE_FOR_ALL_SETS
float quantize_bf16(const bf16_bits *from, int8_t *to, ptrdiff_t n) { return quantize_row(from, to, n); }

void add_one(const float *a, const float *b, const float *bias, float *sum, ptrdiff_t n) {
    add_floats(a, b, bias, sum, n);
}
void add_one(const bf16_bits *a, const bf16_bits *b, const float *bias, bf16_bits *sum, ptrdiff_t n) {
    add_bf16(a, b, bias, sum, n);
}
float quantize_one(const float *from, int8_t *to, ptrdiff_t n) { return quantize_floats(from, to, n); }
float quantize_one(const bf16_bits *from, int8_t *to, ptrdiff_t n) { return quantize_bf16(from, to, n); }

} // namespace

template <typename T>
void row_steps<T>::add(const T *a, const T *b, const float *bias, T *sum, ptrdiff_t rows, ptrdiff_t columns) {
#pragma omp parallel for schedule(static)
    for (ptrdiff_t r = 0; r < rows; ++r) add_one(a + r * columns, b + r * columns, bias, sum + r * columns, columns);
}

template <typename T>
void row_steps<T>::quantize(const T *from, int8_t *to, float *scales, ptrdiff_t rows, ptrdiff_t columns) {
#pragma omp parallel for schedule(static)
    for (ptrdiff_t r = 0; r < rows; ++r) scales[r] = quantize_one(from + r * columns, to + r * columns, columns);
}

template struct row_steps<float>;
template struct row_steps<bf16_bits>;

} // namespace benchdnn_lite
