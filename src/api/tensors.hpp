// SPDX-License-Identifier: Apache-2.0
// tensors: what a primitive reads and writes, and which execution argument hands it over.
#pragma once

#include "primitive_desc.hpp"

namespace jitnorm::impl::api {

// A small number for each execution argument there can be. Src1 of binary post-op i is FIRST_POST_OP + i.
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
    SRC_SCALE,
    DST_SCALE,
    SCRATCHPAD,
    FIRST_POST_OP,
    SLOT_COUNT = FIRST_POST_OP + MAX_POST_OPS,
    NO_SLOT = -1
};

slot slot_of(int arg); // NO_SLOT for an argument that no primitive has
int arg_of(slot s);

enum class role { absent, input, output, ignored /* may be given and is not looked at */ };

struct tensor {
    role use;
    const memory_desc *md; // belongs to the primitive descriptor; empty when the tensor is absent
};

// The table of tensors in jitnorm.h, as code.
tensor tensor_of(const jitnorm_primitive_desc &pd, slot s);

} // namespace jitnorm::impl::api
