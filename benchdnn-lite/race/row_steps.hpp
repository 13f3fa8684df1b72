// SPDX-License-Identifier: Apache-2.0
// row_steps: an addition and a quantization of dense rows as anyone would write them, for the compiler to vectorize. A
// fused normalization is compared with these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace benchdnn_lite {

struct bf16_bits {
    uint16_t bits;
};

// Plain loops over dense rows of T, which is float or bf16_bits. OpenMP decides on the number of threads.
template <typename T>
struct row_steps {
    // sum = a + b, plus bias unless that is null. `sum` may be `a` or `b`.
    static void add(const T *a, const T *b, const float *bias, T *sum, ptrdiff_t rows, ptrdiff_t columns);
    // Writes to `scales` the largest magnitude of each row over 127, and to `to` the row divided by its scale and
    // rounded.
    static void quantize(const T *from, int8_t *to, float *scales, ptrdiff_t rows, ptrdiff_t columns);
};

} // namespace benchdnn_lite
