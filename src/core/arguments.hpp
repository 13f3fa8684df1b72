// SPDX-License-Identifier: Apache-2.0
// arguments: what one execution reads and writes: a pointer for each slot, a small number for each tensor there can be.
#pragma once

#include <cstddef>
#include <utility>

#include "attributes.hpp"

namespace jitnorm::impl::layer_norm {

struct problem;
struct plan;

enum slot : int {
    SRC,
    DST,
    MEAN, // mean and variance are read or written as the problem says
    VARIANCE,
    SCALE,
    SHIFT,
    DIFF_DST,
    DIFF_SRC,
    DIFF_SCALE,
    DIFF_SHIFT,
    RESIDUAL, // added to src before the normalization, as is BIAS; forward writes SUM, backward reads its gradient
    SUM,
    BIAS,
    DIFF_SUM,
    UNQUANTIZED,   // dst before post-ops and its scales
    SRC_SCALE,     // attribute scales, one float each
    DST_SCALE,     // or all those that are found
    SCRATCHPAD,    // as many bytes as the plan says, 64-byte aligned
    FIRST_POST_OP, // src1 of binary post-op i is FIRST_POST_OP + i
    SLOT_COUNT = FIRST_POST_OP + MAX_POST_OPS,
    NO_SLOT = -1
};

// Bare pointers, each at its data handle (a descriptor's offset0 is not yet added) and of any alignment
// (unaligned.hpp). Null where the problem has no such tensor. Inputs are not written to.
class arguments {
public:
    // Post-ops have no pointers before they are set: clearing 32 of them takes time, as do the string instructions that
    // compilers make of a loop.
    arguments() {
        [&]<size_t... I>(std::index_sequence<I...>) { ((pointers_[I] = nullptr), ...); }
        (std::make_index_sequence<FIRST_POST_OP>());
    }

    void *operator[](slot s) const { return pointers_[s]; }
    void set(slot s, const void *pointer) { pointers_[s] = const_cast<void *>(pointer); }

    // Of a problem with run-time sizes: the same problem with those of this execution, and the plan for them.
    const problem *sizes = nullptr;
    const plan *how = nullptr;

private:
    void *pointers_[SLOT_COUNT];
};

constexpr slot post_op_slot(size_t post_op) { return slot(size_t(FIRST_POST_OP) + post_op); }

} // namespace jitnorm::impl::layer_norm
