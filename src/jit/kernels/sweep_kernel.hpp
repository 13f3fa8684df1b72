// SPDX-License-Identifier: Apache-2.0
// sweep_kernel: computes the sums for the statistics of rows, in one sweep over at most CHUNK elements of each row
// (docs/arithmetic.md, "Statistics").
#pragma once

#include "../../arithmetic/constants.hpp"
#include "../kernel.hpp"
#include "../vector_traits.hpp"

namespace jitnorm::impl::jit {

// Kernels for short rows write whole groups of so many values of each kind, the last ones without meaning.
constexpr int SHORT_SWEEP_GROUP = 8, SHORT_SWEEP_VECTORS = 8;

// Rows of one or two vectors of 512 bits use AVX2: loads of 512 bits from rows of 24 elements often cross cache lines.
constexpr isa short_sweep_isa(dim_t columns, isa vectors) {
    return columns <= layer_norm::FORWARD_LANES<float> ? isa::avx2 : vectors;
}

// Elements of the longest rows that a kernel for short rows takes.
constexpr dim_t short_sweep_columns(isa vectors) {
    return SHORT_SWEEP_VECTORS *
           (vectors == isa::avx512 ? VECTOR_WIDTH<isa::avx512, float> : VECTOR_WIDTH<isa::avx2, float>);
}

// T is the compute type; pointers to it hold one value per row.
template <typename T>
struct sweep_arguments {
    const void *src;
    dim_t row_stride;   // bytes
    dim_t rows;         // at least 1
    dim_t count;        // elements of each row, 1 .. CHUNK
    T *pivot = nullptr; // an output of a first sweep, an input of a repeated one; not used for rms_norm
    T *s = nullptr;     // an output: sum of (x - pivot) * factor; not used for rms_norm
    T *q = nullptr;     // an output: sum of ((x - pivot) * factor)^2
    T factor = 1;       // is read by a repeated sweep only
};

template <typename T> // float or double
using sweep_kernel = kernel<sweep_conf, sweep_arguments<T>, T>;

} // namespace jitnorm::impl::jit
