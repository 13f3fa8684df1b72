// SPDX-License-Identifier: Apache-2.0
// tensors: the list of all tensors that a problem may have. Whoever goes through a problem's tensors (the arguments of
// an execution, reasons of refusals, sizes, layouts, tensors that share memory, panels of rows) loops over this list.
// problem::use_of() says which of them a problem reads and writes, problem::layout() has their descriptors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "attributes.hpp"
#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl::layer_norm {

// A slot is the small number of a tensor.
enum slot : int {
    SRC,
    DST,
    MEAN,
    VARIANCE,
    SCALE,
    SHIFT,
    DIFF_DST,
    DIFF_SRC,
    DIFF_SCALE,
    DIFF_SHIFT,
    // RESIDUAL and BIAS are added to src before the normalization; forward writes the result to SUM. In backward, where
    // that result is SRC, RESIDUAL is the factor of GATE (gate_gradients.hpp).
    RESIDUAL,
    SUM,
    BIAS,
    GATE,       // src is multiplied by it before RESIDUAL is added
    DIFF_SUM,   // the gradient of SUM
    DIFF_GATED, // the gradient of the factor of GATE
    DIFF_GATE,  // the gradient of GATE
#define FURTHER_OUTPUT(place, ...) place,
#include "../../tables/outputs.inc"
    SRC_SCALE,     // the scale that attributes give for src
    DST_SCALE,     // the same for dst; or, as an output, all scales of dst that the library finds
    ROW_SUMS,      // the moments of rows whose columns several problems share, or of their chunks
    SCRATCHPAD,    // as many bytes as the plan says, 64-byte aligned
    FIRST_POST_OP, // src1 of binary post-op i is FIRST_POST_OP + i
    SLOT_COUNT = FIRST_POST_OP + MAX_POST_OPS,
    NO_SLOT = -1
};

constexpr slot post_op_slot(size_t post_op) { return slot(size_t(FIRST_POST_OP) + post_op); }

// The bit of a slot in a set of slots.
constexpr unsigned bit_of(slot s) { return 1U << unsigned(s); }

// The dimensions that a tensor has.
enum class extent {
    rows,       // of src
    statistics, // the dimensions of src that count rows
    columns,    // one, of C elements; scale, shift and the gate may also have row dimensions (row_groups.hpp)
    gradient,   // of scale, shift or gate; in a partial problem, one row of C elements for each part of the sums
    scale,      // one element; or one for each row or group of columns, if the library finds the scales
    row_sums,   // the dimensions of src that count rows, and one for the numbers of a row
    bytes
};

struct tensor_kind {
    slot place;
    int arg;              // JITNORM_ARG_...
    const char *arg_name; // as text, without JITNORM_ARG_
    const char *name;     // for the reasons of refusals
    extent dims;
    // The slot whose descriptor in the problem is the tensor's. NO_SLOT: the problem has none, because the dimensions
    // follow from other tensors, and the type from an attribute or from the tensor whose gradient this is.
    slot descriptor;
    const char *knob = nullptr; // of a further output (tables/outputs.inc)
};

constexpr bool has_descriptor(const tensor_kind &t) { return t.descriptor == t.place; } // of its own

// The outputs of tables/outputs.inc: of forward only, in f32, bf16, f16 or f64.
constexpr bool is_further_output(const tensor_kind &t) { return t.knob != nullptr; }

// Each slot before FIRST_POST_OP, in order.
inline constexpr auto TENSORS = [] {
#define JITNORM_TENSOR(place, arg, name, dims, descriptor)                                                             \
    tensor_kind { place, JITNORM_ARG_##arg, #arg, name, extent::dims, descriptor }
    return std::array{
        JITNORM_TENSOR(SRC, SRC, "src", rows, SRC),
        JITNORM_TENSOR(DST, DST, "dst", rows, DST),
        JITNORM_TENSOR(MEAN, MEAN, "mean", statistics, VARIANCE),
        JITNORM_TENSOR(VARIANCE, VARIANCE, "variance", statistics, VARIANCE),
        JITNORM_TENSOR(SCALE, SCALE, "scale", columns, SCALE),
        JITNORM_TENSOR(SHIFT, SHIFT, "shift", columns, SHIFT),
        JITNORM_TENSOR(DIFF_DST, DIFF_DST, "diff_dst", rows, DIFF_DST),
        JITNORM_TENSOR(DIFF_SRC, DIFF_SRC, "diff_src", rows, DIFF_SRC),
        JITNORM_TENSOR(DIFF_SCALE, DIFF_SCALE, "diff_scale", gradient, NO_SLOT),
        JITNORM_TENSOR(DIFF_SHIFT, DIFF_SHIFT, "diff_shift", gradient, NO_SLOT),
        JITNORM_TENSOR(RESIDUAL, SRC_1, "the residual", rows, RESIDUAL),
        JITNORM_TENSOR(SUM, DST_1, "the sum with the residual", rows, SUM),
        JITNORM_TENSOR(BIAS, BIAS, "the bias", columns, NO_SLOT),
        JITNORM_TENSOR(GATE, SRC_2, "the gate", columns, GATE),
        JITNORM_TENSOR(DIFF_SUM, DIFF_DST_1, "the gradient of the sum with the residual", rows, SUM),
        JITNORM_TENSOR(DIFF_GATED, DIFF_SRC_1, "the gradient of what the gate was multiplied by", rows, RESIDUAL),
        JITNORM_TENSOR(DIFF_GATE, DIFF_SRC_2, "the gradient of the gate", gradient, NO_SLOT),
#define FURTHER_OUTPUT(place, number, attribute, name, knob, meaning)                                                  \
    tensor_kind{place, JITNORM_ARG_DST_##number, "DST_" #number, name, extent::rows, place, knob},
#include "../../tables/outputs.inc"
        tensor_kind{SRC_SCALE, JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC, "ATTR_SCALES|SRC", "the scale of src",
                    extent::scale, NO_SLOT},
        tensor_kind{DST_SCALE, JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST, "ATTR_SCALES|DST", "the scales of dst",
                    extent::scale, DST_SCALE},
        JITNORM_TENSOR(ROW_SUMS, ROW_SUMS, "the sums of rows", row_sums, NO_SLOT),
        JITNORM_TENSOR(SCRATCHPAD, SCRATCHPAD, "the scratchpad", bytes, NO_SLOT),
    };
#undef JITNORM_TENSOR
}();

static_assert([] {
    for (size_t s = 0; s < TENSORS.size(); ++s)
        if (TENSORS[s].place != slot(s)) return false;
    return TENSORS.size() == size_t(FIRST_POST_OP);
}());

constexpr int arg_of(slot s) {
    return s < FIRST_POST_OP ? TENSORS[size_t(s)].arg
                             : JITNORM_ARG_ATTR_MULTIPLE_POST_OP(s - FIRST_POST_OP) | JITNORM_ARG_SRC_1;
}

constexpr const char *tensor_name(slot s) {
    return s < FIRST_POST_OP ? TENSORS[size_t(s)].name : "src1 of a binary post-op";
}

constexpr const char *STATISTICS = "statistics (mean and variance)"; // for the reasons of refusals

// The tensors with one value for each row, in the order of their slots.
inline constexpr std::array ROW_STATISTICS = {MEAN, VARIANCE};
static_assert(std::ranges::count(TENSORS, extent::statistics, &tensor_kind::dims) == std::ssize(ROW_STATISTICS));

// How an execution uses a tensor.
enum class use { absent, read, written, updated /* read, then written */ };

// The outputs that a problem may omit (problem::omitted).
constexpr unsigned OMITTABLE =
    bit_of(DST) | bit_of(MEAN) | bit_of(VARIANCE) | bit_of(DIFF_SRC) | bit_of(DIFF_SCALE) | bit_of(DIFF_SHIFT);

} // namespace jitnorm::impl::layer_norm
