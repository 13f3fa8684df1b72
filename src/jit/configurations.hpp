// SPDX-License-Identifier: Apache-2.0
// configurations: for each kind of kernel, all that is fixed when it is generated. They are values that can be ordered
// and compared. Sizes, strides and epsilon are arguments of a call, so that problems of different shapes share kernels.
// Decisions that follow from sizes are fields: the order of passes, stores, prefetches, and whether rows that are
// reduced may be short. A normalization of elements of the compute type compares the length of rows itself, and has
// code for short and for longer ones (short_normalize.hpp).
#pragma once

#include <compare>
#include <optional>
#include <variant>
#include <vector>

#include "isa.hpp"

namespace jitnorm::impl::jit {

// The cache to which a kernel prefetches its inputs.
enum class prefetch_to : unsigned char { nowhere, l1, l2 };
// How many bytes ahead of an element kernels prefetch while they reduce rows. Rows of backward that go one by one take
// 0.71 to 0.84 of the time without prefetches with 4096 on a Zen 5, with 2048 up to 0.97.
constexpr int AHEAD_WHILE_REDUCED = 4096;

// How many rows of a band are summed up at once.
constexpr int BAND_UNIT = 8;

// How many rows share the loads of scale and shift and, in backward, those of the column sums.
constexpr int PAIR = 2;

// The pass that computes the sums over the elements of rows.
struct reduction_conf {
    jitnorm_data_type_t src = jitnorm_f32; // any data type; f64 only if the compute type is double
    bool centered = true;                  // S and Q about a pivot; otherwise (rms_norm) only Q, about zero
    bool repeated = false;   // pivot and factor are arguments; otherwise the pass finds the pivot, and the factor is 1
    bool short_rows = false; // rows may be short (SHORT_ROW_VECTORS); only with float, not if repeated
    prefetch_to ahead = prefetch_to::nowhere; // eights of short rows are prefetched to L1 at least

    auto operator<=>(const reduction_conf &) const = default;
};

// The pass that computes rows which are normalized later: src (* gate) + residual (+ bias); with `silu`,
// src (* gate) * silu(residual) (+ bias). Tensors have any data type, f64 only if the compute type is double; the bias
// has f32, bf16 or f16.
struct addition_conf {
    jitnorm_data_type_t src = jitnorm_f32;
    jitnorm_data_type_t residual = jitnorm_f32;
    jitnorm_data_type_t bias = jitnorm_data_type_undef; // undef: there is no bias
    jitnorm_data_type_t gate = jitnorm_data_type_undef; // undef: there is no gate
    jitnorm_data_type_t sum = jitnorm_data_type_undef;  // the sum as an output; undef: it is none
    jitnorm_data_type_t row = jitnorm_f32;              // the rows to normalize: the compute type, or the type of `sum`
    // Also does a first reduction of the rows, `centered` or not (reduction_conf); only if `row` is the compute type.
    bool reduces = false, centered = false;
    bool silu = false; // multiplies by silu(residual) in place of the addition; not if it reduces
    prefetch_to ahead = prefetch_to::nowhere;

    auto operator<=>(const addition_conf &) const = default;
};

// One post-op. Its numbers (scale, zero point, alpha, beta) are arguments.
struct post_op_conf {
    enum class kind { sum, eltwise, binary };
    kind what = kind::sum;
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef; // eltwise, binary
    bool leaky = false;                              // eltwise: math::is_leaky() of alpha
    // sum: the type of the old values; binary: the type of the tensor, or undef if a whole row gets one value of the
    // compute type
    jitnorm_data_type_t operand = jitnorm_data_type_undef;

    auto operator<=>(const post_op_conf &) const = default;
};

// The pass that normalizes, scales and shifts rows and applies the attributes. Types are f32, bf16 and
// f16, f64 if the compute type is double, for src and dst also s8 and u8, and for dst also f8_e5m2 and f8_e4m3.
struct normalize_conf {
    jitnorm_data_type_t src = jitnorm_f32;
    jitnorm_data_type_t dst = jitnorm_f32;
    jitnorm_data_type_t scale_shift = jitnorm_f32;
    bool scale = false;
    bool shift = false;
    bool src_scale = false; // whether the attributes give a scale of src
    bool dst_scale = false;
    bool non_temporal = false; // whole lines of dst, which is aligned to its elements, pass the caches
    std::vector<post_op_conf> post_ops = {};
    // The pre-quantization output: the values of dst before the post-ops and the scale of dst. undef: there is none.
    jitnorm_data_type_t pre_quantization = jitnorm_data_type_undef;
    unsigned affine_flags = 0; // problem::affine_flags()
    bool centered = true;      // false: hi is zero, and need not be subtracted
    // The types to which values are rounded before they are scaled and shifted, and then, where the conversion to dst
    // does not do it (problem::normalized_type(), scaled_type()). undef: they are not rounded.
    jitnorm_data_type_t normalized = jitnorm_data_type_undef, scaled = jitnorm_data_type_undef;
    bool quantizes = false;                   // by scales that the pass finds (dynamic scales); only with float
    bool groups = false;                      // rows are groups of columns of one row, which share its statistics
    bool own_rows = false;                    // each row has its own scale and shift, and so has each group
    prefetch_to ahead = prefetch_to::nowhere; // while rows go one by one

    auto operator<=>(const normalize_conf &) const = default;
};

// The pass of backward that computes row sums and column sums. Types are f32, bf16, f16; f64 if it computes in f64.
struct backward_sums_conf {
    jitnorm_data_type_t src = jitnorm_f32;
    jitnorm_data_type_t diff_dst = jitnorm_f32;
    jitnorm_data_type_t scale_type = jitnorm_f32;
    bool scale = false;
    bool centered = true;      // xhat is about a mean; otherwise (rms_norm) about zero, and there is no s1
    bool sums = true;          // computes the row sums s1 and s2
    bool diff_scale = false;   // computes the column sums for diff_scale
    bool diff_shift = false;   // computes the column sums for diff_shift
    unsigned affine_flags = 0; // problem::affine_flags()
    // Each row has its own scale, or is the only one, and its own gradients, of type `gradient`, but no column sums.
    bool own_rows = false;
    jitnorm_data_type_t gradient = jitnorm_data_type_undef;
    // The type to which xhat is rounded for diff_scale. undef: it is not rounded.
    jitnorm_data_type_t normalized = jitnorm_data_type_undef;
    prefetch_to ahead = prefetch_to::nowhere;

    auto operator<=>(const backward_sums_conf &) const = default;
};

// The pass of backward that computes diff_src of rows whose sums are known.
struct backward_data_conf {
    jitnorm_data_type_t src = jitnorm_f32;
    jitnorm_data_type_t diff_dst = jitnorm_f32;
    jitnorm_data_type_t diff_src = jitnorm_f32;
    jitnorm_data_type_t diff_sum = jitnorm_data_type_undef; // the tensor that is added to diff_src; undef: none
    jitnorm_data_type_t scale_type = jitnorm_f32;
    bool scale = false;
    bool centered = true;      // as in backward_sums_conf
    bool sums = true;          // uses the row sums; false where statistics are constants (use_global_stats)
    bool non_temporal = false; // whole lines of diff_src, which is aligned to its elements, pass the caches
    unsigned affine_flags = 0; // problem::affine_flags()

    auto operator<=>(const backward_data_conf &) const = default;
};

// In which order a kernel does its passes.
enum class pass_order : unsigned char {
    one_pass, // the only pass does all rows
    by_bands, // a band is reduced, its scalar steps are done, and it is written; then the next one
    one_row   // the same of a single row, whose scalars stay in registers; only forward
};

// The kernel of forward, and that of backward, with the passes that it does. No reduction is a repeated one, unless it
// is the only pass. Bands of forward and its one row are only with float.
struct forward_conf {
    vector_kind kind = {};
    std::optional<addition_conf> added = {};    // makes the rows that the other passes read
    std::optional<reduction_conf> reduced = {}; // not where the addition reduces the rows
    std::optional<normalize_conf> written = {};
    pass_order order = pass_order::one_pass;

    auto operator<=>(const forward_conf &) const = default;
};
struct backward_conf {
    vector_kind kind = {};
    std::optional<backward_sums_conf> reduced = {};
    std::optional<backward_data_conf> written = {};
    pass_order order = pass_order::one_pass;

    auto operator<=>(const backward_conf &) const = default;
};

// The kernel of backward that adds up the gradients of scale and shift from the sums of row blocks. It computes in f64;
// or in f32 if sums are f32, and then there is no start.
struct backward_weights_conf {
    vector_kind kind = {};
    jitnorm_data_type_t sums = jitnorm_f32; // f32 or f64
    jitnorm_data_type_t to = jitnorm_f64;   // f64, f32, bf16 or f16

    auto operator<=>(const backward_weights_conf &) const = default;
};

using kernel_key = std::variant<forward_conf, backward_conf, backward_weights_conf>;

} // namespace jitnorm::impl::jit
