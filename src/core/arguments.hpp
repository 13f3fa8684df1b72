// SPDX-License-Identifier: Apache-2.0
// arguments: what one execution reads and writes, as a pointer for each argument slot. A slot is the small number of a
// tensor.
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
    MEAN, // MEAN and VARIANCE are inputs or outputs; the problem says which
    VARIANCE,
    SCALE,
    SHIFT,
    DIFF_DST,
    DIFF_SRC,
    DIFF_SCALE,
    DIFF_SHIFT,
    RESIDUAL, // RESIDUAL and BIAS are added to src before the normalization; forward writes the result to SUM
    SUM,
    BIAS,
    DIFF_SUM,      // the gradient of SUM, an input of backward
    UNQUANTIZED,   // the values of dst before the post-ops and the scales of dst
    SRC_SCALE,     // the scale that attributes give for src: one float
    DST_SCALE,     // the same for dst; or, as an output, all scales of dst that the library finds
    SCRATCHPAD,    // as many bytes as the plan says, 64-byte aligned
    FIRST_POST_OP, // src1 of binary post-op i is FIRST_POST_OP + i
    SLOT_COUNT = FIRST_POST_OP + MAX_POST_OPS,
    NO_SLOT = -1
};

// Each pointer is the tensor's data handle: the descriptor's offset0 is not yet added. It may have any alignment
// (unaligned.hpp). It is null where the problem has no such tensor. The caller owns the memory. Executors do not write
// to inputs.
class arguments {
public:
    // The pointers of post-ops are undefined until they are set, because clearing 32 of them takes time. There is no
    // loop, because compilers turn it into a string instruction, which takes longer than 18 stores.
    arguments() {
        [&]<size_t... I>(std::index_sequence<I...>) { ((pointers_[I] = nullptr), ...); }
        (std::make_index_sequence<FIRST_POST_OP>());
    }

    void *operator[](slot s) const { return pointers_[s]; }
    void set(slot s, const void *pointer) { pointers_[s] = const_cast<void *>(pointer); }

    // Only for a problem with run-time sizes: the same problem with the sizes of this execution, and the plan for it.
    const problem *sizes = nullptr;
    const plan *how = nullptr;

private:
    void *pointers_[SLOT_COUNT];
};

constexpr slot post_op_slot(size_t post_op) { return slot(size_t(FIRST_POST_OP) + post_op); }

} // namespace jitnorm::impl::layer_norm
