// SPDX-License-Identifier: Apache-2.0
// Compiles the loops and chooses among them.
#include "loops.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#ifndef __clang__
// GCC 12 believes that its own intrinsics use variables that are not initialized.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "jitnorm/jitnorm.h"

namespace benchdnn_lite {

namespace {

#define TARGET [[gnu::target("avx2,fma")]]
#define LOOPS avx2
#define WIDTH 8
#include "loops.inc"

#define TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]]
#define LOOPS avx512
#define WIDTH 16
#include "loops.inc"

#define TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma")]]
#define LOOPS avx512_bf16
#define WIDTH 16
#define ROUNDS_TO_BF16
#include "loops.inc"

constexpr loops AVX2{avx2::move, avx2::normalize_in_passes, avx2::normalize_in_bands};
constexpr loops AVX512{avx512::move, avx512::normalize_in_passes, avx512::normalize_in_bands};
constexpr loops AVX512_BF16{avx512_bf16::move, avx512_bf16::normalize_in_passes, avx512_bf16::normalize_in_bands};

} // namespace

const loops *best_loops() {
    const jitnorm_cpu_isa_t highest = jitnorm_get_effective_cpu_isa();
    const auto may_use = [&](jitnorm_cpu_isa_t isa) { return (highest & isa) == isa; };
    if (!may_use(jitnorm_cpu_isa_avx2)) return nullptr;
    if (!may_use(jitnorm_cpu_isa_avx512_core)) return &AVX2;
    return __builtin_cpu_supports("avx512bf16") ? &AVX512_BF16 : &AVX512;
}

} // namespace benchdnn_lite
