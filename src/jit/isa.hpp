// SPDX-License-Identifier: Apache-2.0
// isa: the instruction sets that kernels are generated for, what this processor has, and the cap on it.
#pragma once

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl::jit {

// avx2 means AVX2, FMA and F16C; avx512 means F, BW, DQ and VL on top.
enum class isa { none, avx2, avx512 };
constexpr isa BEST_FIRST[] = {isa::avx512, isa::avx2};

// What the implementation on such kernels is called.
constexpr const char *implementation_name(isa vectors) { return vectors == isa::avx512 ? "jit:avx512" : "jit:avx2"; }

// The best that the processor has, the operating system saves, and the cap (JITNORM_MAX_CPU_ISA, set_max_isa) allows.
bool is_allowed(isa wanted);

// Whether the processor has AVX512_BF16 and AVX512_VBMI, which isa::avx512 does not ask for: kernels use them where the
// bits are the same.
bool has_avx512_bf16();
bool has_avx512_vbmi();

// The cap for descriptors created from now on: any of the enumeration, which says what each amounts to; anything else
// is invalid_arguments. Overrides the environment variable.
jitnorm_status_t set_max_isa(jitnorm_cpu_isa_t cap);
jitnorm_cpu_isa_t effective_isa();

// False when JITNORM_MAX_CPU_ISA holds none of the enumeration's names (in any case of letters): then no
// descriptor can be created until set_max_isa() says what is wanted.
bool isa_cap_is_valid();

} // namespace jitnorm::impl::jit
