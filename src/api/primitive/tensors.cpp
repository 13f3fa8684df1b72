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

tensor present_if(bool present, role use, const memory_desc &md) {
    return present ? tensor{use, &md} : tensor{role::absent, &EMPTY};
}

tensor statistics(const layer_norm::problem &p, bool wanted) {
    return present_if(wanted, p.statistics_are_inputs() ? role::input : role::output, p.statistics);
}

tensor post_op_tensor(const layer_norm::problem &p, size_t index) {
    const auto &entries = p.attr.post_ops.entries;
    const auto *binary = index < entries.size() ? std::get_if<binary_post_op>(&entries[index]) : nullptr;
    return binary != nullptr ? tensor{role::input, &binary->src1} : tensor{role::absent, &EMPTY};
}

// The tensors that attributes ask for, and the scratchpad.
tensor attribute_tensor(const described &what, slot s) {
    const layer_norm::problem &p = what.problem;
    switch (s) {
    case RESIDUAL:
        return present_if(p.adds_residual(), role::input, p.attr.residual.added);
    case SUM:
        return present_if(p.writes_sum(), role::output, p.attr.residual.sum);
    case BIAS:
        return present_if(p.reads_bias(), role::input, what.bias);
    case DIFF_SUM:
        return present_if(p.reads_diff_sum(), role::input, p.attr.residual.sum);
    case UNQUANTIZED:
        return present_if(p.writes_unquantized(), role::output, p.attr.unquantized);
    case SRC_SCALE:
        return present_if(p.attr.src_scale, role::input, ONE_F32);
    case DST_SCALE:
        return p.finds_scales() ? tensor{role::output, &p.attr.found_scales}
                                : present_if(p.attr.dst_scale, role::input, ONE_F32);
    case SCRATCHPAD:
        return present_if(what.user_gives_scratchpad(), what.scratchpad.ndims == 0 ? role::ignored : role::output,
                          what.scratchpad);
    default:
        return post_op_tensor(p, size_t(s - FIRST_POST_OP));
    }
}

} // namespace

int arg_of(slot s) {
    return s < FIRST_POST_OP ? FIXED_ARGS[s] : JITNORM_ARG_ATTR_MULTIPLE_POST_OP(s - FIRST_POST_OP) | JITNORM_ARG_SRC_1;
}

tensor tensor_of(const described &what, slot s) {
    const layer_norm::problem &p = what.problem;
    switch (s) {
    case SRC:
        return {role::input, &p.src};
    case DST:
        return present_if(p.is_forward(), role::output, p.dst);
    case MEAN: // programs for oneDNN pass a mean with rms_norm, too; it is ignored
        return p.is_rms() ? present_if(p.uses_variance(), role::ignored, p.statistics) : statistics(p, p.uses_mean());
    case VARIANCE:
        return statistics(p, p.uses_variance());
    case SCALE:
        return present_if(p.uses_scale(), role::input, what.scale_shift);
    case SHIFT:
        return present_if(p.uses_shift(), p.is_forward() ? role::input : role::ignored, what.scale_shift);
    case DIFF_DST:
        return present_if(!p.is_forward(), role::input, p.diff_dst);
    case DIFF_SRC:
        return present_if(!p.is_forward(), role::output, p.diff_src);
    case DIFF_SCALE:
        return present_if(p.wants_diff_scale(), role::output, what.diff_scale_shift);
    case DIFF_SHIFT:
        return present_if(p.wants_diff_shift(), role::output, what.diff_scale_shift);
    default:
        return attribute_tensor(what, s);
    }
}

} // namespace jitnorm::impl::api
