// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

namespace jitnorm::impl::api {

namespace {

// Programs for oneDNN pass a mean with rms_norm, too, a shift to backward, and a scratchpad without bytes.
bool is_ignored(const described &what, slot s) {
    const layer_norm::problem &p = what.problem;
    return (s == MEAN && p.is_rms() && p.uses(VARIANCE)) || (s == SHIFT && !p.is_forward() && p.uses_shift()) ||
           (s == SCRATCHPAD && p.uses(s) && what.tensors[SCRATCHPAD].ndims == 0);
}

} // namespace

tensor tensor_of(const described &what, slot s) {
    const memory_desc *md = s < FIRST_POST_OP ? &what.tensors[size_t(s)] : what.problem.post_op_operand(s);
    if (is_ignored(what, s)) return {role::ignored, md};
    if (!what.problem.uses(s)) return {role::absent, &NO_TENSOR};
    return {what.problem.writes(s) ? role::output : role::input, md};
}

} // namespace jitnorm::impl::api
