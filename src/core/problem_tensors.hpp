// SPDX-License-Identifier: Apache-2.0
// problem_tensors: the tensors of a problem, as one list with a line for each: which of them an execution reads or
// writes, their descriptors, their arguments in the C interface and their names in reasons.
#pragma once

#include "arguments.hpp"
#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

struct problem_tensor {
    slot place;
    int arg; // JITNORM_ARG_...
    const char *name;
};

// All tensors but those of post-ops, in the order of their slots.
inline constexpr problem_tensor TENSORS[FIRST_POST_OP] = {
    {SRC, JITNORM_ARG_SRC, "src"},
    {DST, JITNORM_ARG_DST, "dst"},
    {MEAN, JITNORM_ARG_MEAN, "the mean"},
    {VARIANCE, JITNORM_ARG_VARIANCE, "the variance"},
    {SCALE, JITNORM_ARG_SCALE, "the scale"},
    {SHIFT, JITNORM_ARG_SHIFT, "the shift"},
    {DIFF_DST, JITNORM_ARG_DIFF_DST, "diff_dst"},
    {DIFF_SRC, JITNORM_ARG_DIFF_SRC, "diff_src"},
    {DIFF_SCALE, JITNORM_ARG_DIFF_SCALE, "the gradient of the scale"},
    {DIFF_SHIFT, JITNORM_ARG_DIFF_SHIFT, "the gradient of the shift"},
    {RESIDUAL, JITNORM_ARG_SRC_1, "the residual"},
    {SUM, JITNORM_ARG_DST_1, "the sum with the residual"},
    {BIAS, JITNORM_ARG_BIAS, "the bias"},
    {DIFF_SUM, JITNORM_ARG_DIFF_DST_1, "the gradient of the sum with the residual"},
    {UNQUANTIZED, JITNORM_ARG_DST_2, "the unquantized output"},
    {SRC_SCALE, JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC, "the scale of src"},
    {DST_SCALE, JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST, "the scale of dst"},
    {SCRATCHPAD, JITNORM_ARG_SCRATCHPAD, "the scratchpad"},
};
static_assert([] {
    for (int s = 0; s < FIRST_POST_OP; ++s)
        if (TENSORS[s].place != s) return false;
    return true;
}());

constexpr const char *tensor_name(slot s) { return s < FIRST_POST_OP ? TENSORS[s].name : "the operand of a post-op"; }

enum class access { none, read, written };

// What an execution does with a tensor. The scratchpad counts as none, because the plan decides whether there is one.
access access_of(const problem &p, slot s);

// The descriptor in the problem. Null for tensors that have none there: vectors with a value for each column, a given
// scale of src or dst, the scratchpad. The problem must have the tensor.
memory_desc *described_by(problem &p, slot s);
const memory_desc *described_by(const problem &p, slot s);

// Whether the tensor has elements. The problem must have the tensor, and sizes that are known.
bool has_elements(const problem &p, slot s);

} // namespace jitnorm::impl::layer_norm
