// SPDX-License-Identifier: Apache-2.0
// kernel_key: all that is fixed when a kernel is generated, as values that order and compare. Sizes, strides and
// epsilon are not among them: they are arguments, so one kernel serves every shape.
#pragma once

#include <compare>
#include <variant>

#include "isa.hpp"

namespace jitnorm::impl::jit {

// Sums over the elements of rows.
struct sweep_conf {
    isa vectors = isa::none;
    jitnorm_data_type_t src = jitnorm_f32; // any data type, f64 with doubles only
    bool centered = true;                  // S and Q about a pivot; otherwise Q alone, about zero (rms_norm)
    bool repeated = false; // pivot and factor are given; otherwise the pivot is found and the factor is 1
    jitnorm_data_type_t compute = jitnorm_f32; // f32 or f64; set by the kernel

    auto operator<=>(const sweep_conf &) const = default;
};

// Normalized, scaled and shifted rows. Types are f32, bf16, f16, for src and dst also s8, u8 and (with doubles) f64.
struct normalize_conf {
    isa vectors = isa::none;
    jitnorm_data_type_t src = jitnorm_f32;
    jitnorm_data_type_t dst = jitnorm_f32;
    jitnorm_data_type_t scale_shift = jitnorm_f32;
    bool scale = false;
    bool shift = false;
    bool src_scale = false; // attribute scales of the tensors
    bool dst_scale = false;
    bool streaming = false; // stores bypass the caches; every row of dst begins at a whole cache line
    jitnorm_data_type_t compute = jitnorm_f32; // f32 or f64; set by the kernel

    auto operator<=>(const normalize_conf &) const = default;
};

using kernel_key = std::variant<sweep_conf, normalize_conf>;

} // namespace jitnorm::impl::jit
