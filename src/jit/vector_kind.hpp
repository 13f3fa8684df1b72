// SPDX-License-Identifier: Apache-2.0
// vector_kind: an instruction set and a compute type as a value, and the sizes that follow from them. Generators and
// emitters are compiled once and work for every kind.
#pragma once

#include "isa.hpp"

namespace jitnorm::impl::jit {

constexpr int element_bytes(jitnorm_data_type_t type) {
    switch (type) {
    case jitnorm_f64:
        return 8;
    case jitnorm_f32:
    case jitnorm_s32:
        return 4;
    case jitnorm_bf16:
    case jitnorm_f16:
        return 2;
    default:
        return 1;
    }
}

struct vector_kind {
    isa vectors = isa::avx2;
    jitnorm_data_type_t compute = jitnorm_f32; // f32 or f64

    constexpr bool is_avx512() const { return vectors == isa::avx512; }
    constexpr bool is_f64() const { return compute == jitnorm_f64; }
    constexpr int registers() const { return is_avx512() ? 32 : 16; }
    constexpr int bytes() const { return is_avx512() ? 64 : 32; } // of a register
    constexpr int element() const { return is_f64() ? 8 : 4; }    // bytes of a number of the compute type
    constexpr int width() const { return bytes() / element(); }   // numbers in a register
};

} // namespace jitnorm::impl::jit
