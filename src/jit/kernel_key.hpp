// SPDX-License-Identifier: Apache-2.0
// kernel_key: all that is fixed when a kernel is generated, as values that order and compare. Sizes, strides and
// epsilon are not among them: they are arguments, so one kernel serves every shape.
#pragma once

#include <array>
#include <compare>
#include <type_traits>
#include <variant>
#include <vector>

#include "isa.hpp"

namespace jitnorm::impl::jit {

template <typename T> // a compute type: float or double
constexpr jitnorm_data_type_t data_type_of = std::is_same_v<T, double> ? jitnorm_f64 : jitnorm_f32;

// Sums over the elements of rows.
struct sweep_conf {
    isa vectors = isa::none;
    jitnorm_data_type_t src = jitnorm_f32; // any data type, f64 with doubles only
    bool centered = true;                  // S and Q about a pivot; otherwise Q alone, about zero (rms_norm)
    bool repeated = false;   // pivot and factor are given; otherwise the pivot is found and the factor is 1
    bool short_rows = false; // of a few vectors; floats and first sweeps only
    jitnorm_data_type_t compute = jitnorm_f32; // f32 or f64; set by the kernel

    auto operator<=>(const sweep_conf &) const = default;
};

// Rows and what is added to them before they are normalized: src + residual, or + bias. Types of tensors are any data
// type, of bias f32, bf16 and f16; f64 with doubles only.
struct addition_conf {
    isa vectors = isa::none;
    jitnorm_data_type_t src = jitnorm_f32;
    jitnorm_data_type_t residual = jitnorm_f32;
    jitnorm_data_type_t bias = jitnorm_data_type_undef; // undef: there is none
    jitnorm_data_type_t sum = jitnorm_data_type_undef;  // of the output; undef: not written
    jitnorm_data_type_t row = jitnorm_f32;              // of what is to be normalized: the compute type, or sum's
    bool squares = false; // adds up the squares of rows of the compute type, as a first sweep does for rms_norm
    jitnorm_data_type_t compute = jitnorm_f32;

    auto operator<=>(const addition_conf &) const = default;
};

// One post-op of a kernel. Its numbers (scale, zero point, alpha, beta) are arguments.
struct post_op_conf {
    enum class kind { sum, eltwise, binary };
    kind what = kind::sum;
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef;       // of eltwise and binary
    bool leaky = false;                                    // eltwise: see math::is_leaky()
    jitnorm_data_type_t operand = jitnorm_data_type_undef; // of sum's old values and of binary's tensor; for binary
                                                           // undef: one value of the compute type for the whole row
    auto operator<=>(const post_op_conf &) const = default;
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
    bool non_temporal = false;                 // stores; every row of dst begins at a whole cache line
    jitnorm_data_type_t compute = jitnorm_f32; // f32 or f64; set by the kernel
    std::vector<post_op_conf> post_ops = {};
    // Of a second output, of what dst is made of before post-ops and its scale; undef: there is none.
    jitnorm_data_type_t unquantized = jitnorm_data_type_undef;
    // Of two inputs that rows to come are added up from: they are prefetched in place of src. undef: there are none.
    std::array<jitnorm_data_type_t, 2> terms = {jitnorm_data_type_undef, jitnorm_data_type_undef};
    bool scale_plus_one = false; // one is added to what the scale tensor holds

    auto operator<=>(const normalize_conf &) const = default;
};

// Backward: sums over rows and over columns. Types are f32, bf16, f16, for src and diff_dst also f64 (with doubles).
struct backward_sums_conf {
    isa vectors = isa::none;
    jitnorm_data_type_t src = jitnorm_f32;
    jitnorm_data_type_t diff_dst = jitnorm_f32;
    jitnorm_data_type_t scale_type = jitnorm_f32;
    bool scale = false;
    bool centered = true;    // about a mean; otherwise about zero, and without s1 (rms_norm)
    bool sums = true;        // over rows: s1 and s2
    bool diff_scale = false; // over columns
    bool diff_shift = false;
    bool prefetching = false;                  // src, so far ahead as the argument says
    jitnorm_data_type_t compute = jitnorm_f32; // f32 or f64; set by the kernel
    bool scale_plus_one = false;               // one is added to what the scale tensor holds

    auto operator<=>(const backward_sums_conf &) const = default;
};

// The gradient of src, from rows whose sums are known.
struct backward_data_conf {
    isa vectors = isa::none;
    jitnorm_data_type_t src = jitnorm_f32;
    jitnorm_data_type_t diff_dst = jitnorm_f32;
    jitnorm_data_type_t diff_src = jitnorm_f32;
    jitnorm_data_type_t diff_sum = jitnorm_data_type_undef; // of what is added to diff_src; undef: nothing
    jitnorm_data_type_t scale_type = jitnorm_f32;
    bool scale = false;
    bool centered = true;
    bool sums = true;          // otherwise statistics do not depend on src (use_global_stats)
    bool prefetching = false;  // later rows into the caches
    bool non_temporal = false; // stores; every row of diff_src begins at a whole cache line
    jitnorm_data_type_t compute = jitnorm_f32;
    bool scale_plus_one = false; // one is added to what the scale tensor holds

    auto operator<=>(const backward_data_conf &) const = default;
};

// The gradients of scale and shift, from sums over the columns of blocks of rows.
struct backward_weights_conf {
    isa vectors = isa::none;
    jitnorm_data_type_t sums = jitnorm_f32; // f32 or f64
    jitnorm_data_type_t to = jitnorm_f64;   // f64, f32, bf16 or f16
    jitnorm_data_type_t compute = jitnorm_f64;

    auto operator<=>(const backward_weights_conf &) const = default;
};

// The largest magnitude of each row of floats.
struct maximum_conf {
    isa vectors = isa::none;
    jitnorm_data_type_t compute = jitnorm_f32; // f32

    auto operator<=>(const maximum_conf &) const = default;
};

using kernel_key = std::variant<backward_sums_conf, backward_data_conf, backward_weights_conf, addition_conf,
                                sweep_conf, normalize_conf, maximum_conf>;

} // namespace jitnorm::impl::jit
