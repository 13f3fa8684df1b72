// SPDX-License-Identifier: Apache-2.0
// isa: the instruction sets for which kernels are generated, which of them this processor has, the cap on them, and the
// sizes of their vectors.
#pragma once

#include <compare>

#include "../base/status.hpp"
#include "../tensor/memory_desc.hpp"
#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl::jit {

// avx2 means AVX2, FMA and F16C. avx512 means these and AVX512F, BW, DQ and VL.
enum class isa { none, avx2, avx512 };
constexpr isa BEST_FIRST[] = {isa::avx512, isa::avx2};

// The name of the implementation that runs these kernels.
constexpr const char *implementation_name(isa vectors) { return vectors == isa::avx512 ? "jit:avx512" : "jit:avx2"; }

// Whether the processor has these instructions, the operating system saves their registers, and the cap
// (JITNORM_MAX_CPU_ISA or set_max_isa()) allows them.
bool is_allowed(isa wanted);

// Whether the processor has AVX512_BF16 and AVX512_VBMI. isa::avx512 does not imply them. Kernels use them where they
// have them and the bits of the result stay the same.
bool has_avx512_bf16();
bool has_avx512_vbmi();

// Sets the cap for descriptors that are created from now on. invalid_arguments if it is no value of the enumeration,
// whose documentation says which kernels each value allows. The cap takes precedence over the environment variable.
jitnorm_status_t set_max_isa(jitnorm_cpu_isa_t cap);
// The value that stands for the best instruction set that is allowed.
jitnorm_cpu_isa_t effective_isa();

// False if JITNORM_MAX_CPU_ISA is none of the names (in upper or lower case). Then no descriptor can be created until
// set_max_isa() is called.
bool isa_cap_is_valid();
name_list isa_cap_names();

constexpr int element_bytes(jitnorm_data_type_t type) { return int(properties_of(type).size); }

// An instruction set and a compute type as a value, and the sizes that follow from them. Generators and emitters are
// compiled once and work for every kind.
struct vector_kind {
    isa vectors = isa::avx2;
    jitnorm_data_type_t compute = jitnorm_f32; // f32 or f64

    auto operator<=>(const vector_kind &) const = default;

    constexpr bool is_avx512() const { return vectors == isa::avx512; }
    constexpr bool is_f64() const { return compute == jitnorm_f64; }
    constexpr int registers() const { return is_avx512() ? 32 : 16; }
    constexpr int bytes() const { return is_avx512() ? 64 : 32; } // of a register
    constexpr int element() const { return is_f64() ? 8 : 4; }    // bytes of a number of the compute type
    constexpr int width() const { return bytes() / element(); }   // numbers in a register
};

} // namespace jitnorm::impl::jit
