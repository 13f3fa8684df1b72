// SPDX-License-Identifier: Apache-2.0
// vector_traits: what differs between instruction sets, as types and numbers. Kernels are written once over these.
#pragma once

#include <xbyak/xbyak.h>

#include "isa.hpp"

namespace jitnorm::impl::jit {

template <isa I>
struct vector_traits;

template <>
struct vector_traits<isa::avx2> {
    using vmm = Xbyak::Ymm;
    static constexpr int bytes = 32;
    static constexpr int floats = 8;
    static constexpr int registers = 16;
};

template <>
struct vector_traits<isa::avx512> {
    using vmm = Xbyak::Zmm;
    static constexpr int bytes = 64;
    static constexpr int floats = 16;
    static constexpr int registers = 32;
};

} // namespace jitnorm::impl::jit
