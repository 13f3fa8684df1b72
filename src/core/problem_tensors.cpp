// SPDX-License-Identifier: Apache-2.0
#include "problem_tensors.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

access read_if(bool condition) { return condition ? access::read : access::none; }
access written_if(bool condition) { return condition ? access::written : access::none; }

access statistic(const problem &p, bool is_used) {
    return p.statistics_are_inputs() ? read_if(is_used) : written_if(is_used);
}

bool has_post_op_operand(const problem &p, size_t index) {
    const auto &entries = p.attr.post_ops.entries;
    return index < entries.size() && std::holds_alternative<binary_post_op>(entries[index]);
}

// The tensors that attributes ask for.
access access_of_attribute(const problem &p, slot s) {
    switch (s) {
    case RESIDUAL:
        return read_if(p.adds_residual());
    case SUM:
        return written_if(p.writes_sum());
    case BIAS:
        return read_if(p.reads_bias());
    case DIFF_SUM:
        return read_if(p.reads_diff_sum());
    case UNQUANTIZED:
        return written_if(p.writes_unquantized());
    case SRC_SCALE:
        return read_if(p.attr.src_scale);
    case DST_SCALE:
        return p.finds_scales() ? access::written : read_if(p.attr.dst_scale);
    case SCRATCHPAD:
        return access::none;
    default:
        return read_if(has_post_op_operand(p, size_t(s - FIRST_POST_OP)));
    }
}

} // namespace

access access_of(const problem &p, slot s) {
    switch (s) {
    case SRC:
        return access::read;
    case DST:
        return written_if(p.is_forward());
    case MEAN:
        return statistic(p, p.uses_mean());
    case VARIANCE:
        return statistic(p, p.uses_variance());
    case SCALE:
        return read_if(p.reads_scale());
    case SHIFT:
        return read_if(p.is_forward() && p.uses_shift());
    case DIFF_DST:
        return read_if(!p.is_forward());
    case DIFF_SRC:
        return written_if(p.wants_diff_src());
    case DIFF_SCALE:
        return written_if(p.wants_diff_scale());
    case DIFF_SHIFT:
        return written_if(p.wants_diff_shift());
    default:
        return access_of_attribute(p, s);
    }
}

memory_desc *described_by(problem &p, slot s) {
    switch (s) {
    case SRC:
        return &p.src;
    case DST:
        return &p.dst;
    case MEAN:
    case VARIANCE:
        return &p.statistics;
    case DIFF_DST:
        return &p.diff_dst;
    case DIFF_SRC:
        return &p.diff_src;
    case RESIDUAL:
        return &p.attr.residual.added;
    case SUM:
    case DIFF_SUM:
        return &p.attr.residual.sum;
    case UNQUANTIZED:
        return &p.attr.unquantized;
    case DST_SCALE:
        return p.finds_scales() ? &p.attr.found_scales : nullptr;
    default:
        return s < FIRST_POST_OP ? nullptr
                                 : &std::get<binary_post_op>(p.attr.post_ops.entries[size_t(s - FIRST_POST_OP)]).src1;
    }
}

const memory_desc *described_by(const problem &p, slot s) { return described_by(const_cast<problem &>(p), s); }

bool has_elements(const problem &p, slot s) {
    if (const memory_desc *md = described_by(p, s)) return nelems(*md) != 0;
    return s == SRC_SCALE || s == DST_SCALE || p.row_length() != 0;
}

} // namespace jitnorm::impl::layer_norm
