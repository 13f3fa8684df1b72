// SPDX-License-Identifier: Apache-2.0
// vector_traits: the differences between instruction sets, as types and numbers. Kernels are written once, in terms of
// these.
#pragma once

#include <array>
#include <cstddef>

#include <xbyak/xbyak.h>

#include "kernel_key.hpp"

namespace jitnorm::impl::jit {

template <isa I>
struct vector_traits;

template <>
struct vector_traits<isa::avx2> {
    using vmm = Xbyak::Ymm;
    using half = Xbyak::Xmm;
    static constexpr int bytes = 32;
    static constexpr int registers = 16;
};

template <>
struct vector_traits<isa::avx512> {
    using vmm = Xbyak::Zmm;
    using half = Xbyak::Ymm;
    static constexpr int bytes = 64;
    static constexpr int registers = 32;
};

// The number of elements of the compute type T (float or double) in a register.
template <isa I, typename T>
constexpr int VECTOR_WIDTH = vector_traits<I>::bytes / int(sizeof(T));

// N registers, the first of which has the number `first`.
template <typename Vector, size_t N>
std::array<Vector, N> registers_from(int first) {
    std::array<Vector, N> registers;
    for (Vector &v : registers) v = Vector(first++);
    return registers;
}

} // namespace jitnorm::impl::jit
