// SPDX-License-Identifier: Apache-2.0
// row_steps: an addition and a quantization of dense rows as anyone would write them, for the compiler to vectorize:
// what a fused normalization is compared with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace benchdnn_lite {

struct bf16_bits {
    uint16_t bits;
};

// Plain loops over dense rows of T, float or bf16_bits; threads as OpenMP is told.
template <typename T>
struct row_steps {
    // sum = a + b (+ bias, where there is one); sum may be a or b.
    static void add(const T *a, const T *b, const float *bias, T *sum, ptrdiff_t rows, ptrdiff_t columns);
    // The scale of each row makes its largest magnitude 127.
    static void quantize(const T *from, int8_t *to, float *scales, ptrdiff_t rows, ptrdiff_t columns);
};

} // namespace benchdnn_lite
