// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

namespace jitnorm::impl::api {

namespace {

constexpr memory_desc EMPTY;
constexpr memory_desc ONE_F32 = [] {
    memory_desc md;
    md.ndims = 1;
    md.dims[0] = md.padded_dims[0] = md.strides[0] = 1;
    md.data_type = jitnorm_f32;
    md.format_kind = jitnorm_blocked;
    return md;
}();

role role_of(const described &what, slot s) {
    const layer_norm::problem &p = what.problem;
    if (s == SCRATCHPAD && what.user_gives_scratchpad())
        return what.scratchpad.ndims == 0 ? role::ignored : role::output;
    // Programs for oneDNN pass a mean with rms_norm, too, and backward's shift.
    if (s == MEAN && p.is_rms() && p.uses_variance()) return role::ignored;
    if (s == SHIFT && p.uses_shift() && !p.is_forward()) return role::ignored;
    switch (access_of(p, s)) {
    case layer_norm::access::read:
        return role::input;
    case layer_norm::access::written:
        return role::output;
    default:
        return role::absent;
    }
}

// The descriptor of a tensor that the primitive has.
const memory_desc &descriptor_of(const described &what, slot s) {
    switch (s) {
    case SCALE:
    case SHIFT:
        return what.scale_shift;
    case DIFF_SCALE:
    case DIFF_SHIFT:
        return what.diff_scale_shift;
    case BIAS:
        return what.bias;
    case SCRATCHPAD:
        return what.scratchpad;
    default:
        const memory_desc *md = described_by(what.problem, s);
        return md != nullptr ? *md : ONE_F32;
    }
}

} // namespace

int arg_of(slot s) {
    return s < FIRST_POST_OP ? layer_norm::TENSORS[s].arg
                             : JITNORM_ARG_ATTR_MULTIPLE_POST_OP(s - FIRST_POST_OP) | JITNORM_ARG_SRC_1;
}

tensor tensor_of(const described &what, slot s) {
    const role use = role_of(what, s);
    return {use, use == role::absent ? &EMPTY : &descriptor_of(what, s)};
}

} // namespace jitnorm::impl::api
