// SPDX-License-Identifier: Apache-2.0
#include "problems.hpp"

#include <ostream>
#include <variant>

namespace jitnorm::tests {

namespace {

void add_residual(const setup &s, problem &p) {
    const residual_setup &asked = s.residual;
    if (!asked.added.empty()) p[RESIDUAL] = make_layout(asked.added, s.dims, asked.type);
    if (!asked.sum.empty()) p[p.is_forward() ? SUM : DIFF_SUM] = make_layout(asked.sum, s.dims, asked.sum_type);
    p.attr.bias_type = asked.bias_type;
    std::vector<dim_t> gate = s.dims;
    std::fill(gate.begin(), gate.end() - s.axes, 1);
    if (asked.gate_type != jitnorm_data_type_undef) p[GATE] = make_layout("dense+7", gate, asked.gate_type);
    p.attr.normalizes_rounded_sum = asked.rounded;
    p.attr.multiplies_silu = asked.silu;
}

} // namespace

std::ostream &operator<<(std::ostream &out, const setup &s) {
    out << "kind " << s.kind << " flags " << s.flags << " dims";
    for (dim_t d : s.dims) out << ' ' << d;
    return out << " layouts " << s.src << ' ' << s.dst << ' ' << s.statistics << ' ' << s.diff_src << " types "
               << s.src_type << ' ' << s.dst_type << ' ' << s.diff_src_type << ' ' << s.affine_type << ' '
               << s.gradient_type << " in place " << s.in_place << " seed " << s.seed << " axes " << s.axes
               << " statistics of type " << s.statistics_type << " and form " << int(s.form) << " left out "
               << s.omitted << " ones " << s.scale_is_ones << " residual '" << s.residual.added << "' '"
               << s.residual.sum << "' bias " << s.residual.bias_type << " gate " << s.residual.gate_type << " silu "
               << s.residual.silu << " in place " << s.residual.in_place << " pre_quantization '" << s.pre_quantization
               << "' " << s.pre_quantization_type << " rows from " << s.first_row << " of " << s.all_rows
               << " columns of " << s.all_columns;
}

problem make_problem(const setup &s) {
    problem p;
    p.prop_kind = s.kind;
    p.flags = s.flags;
    p.epsilon = 1e-5f;
    p[SRC] = make_layout(s.src, s.dims, s.src_type);
    p.normalized_axes = s.axes;
    p.form = s.form;
    p.omitted = s.omitted;
    p.scale_is_ones = s.scale_is_ones;
    p[VARIANCE] = make_layout(s.statistics, {s.dims.begin(), s.dims.end() - s.axes}, s.statistics_type);
    if (p.is_forward()) {
        p[DST] = make_layout(s.dst, s.dims, s.dst_type);
    } else {
        p[DIFF_DST] = make_layout(s.dst, s.dims, s.dst_type);
        p[DIFF_SRC] = make_layout(s.diff_src, s.dims, s.diff_src_type);
    }
    p.scale_shift_type = s.affine_type;
    p.diff_scale_shift_type = s.gradient_type == jitnorm_data_type_undef ? s.affine_type : s.gradient_type;
    p.first_row = s.first_row;
    p.all_rows = s.all_rows;
    p.all_columns = s.all_columns;
    if (p.is_partial()) p.diff_scale_shift_type = jitnorm_f64;
    p.attr = s.attr;
    add_residual(s, p);
    p[DST_SCALE] = s.dynamic_scales;
    if (!s.pre_quantization.empty())
        p[PRE_QUANTIZATION] = make_layout(s.pre_quantization, s.dims, s.pre_quantization_type);
    return p;
}

problem with_runtime_sizes(problem p) {
    const auto forget = [](memory_desc &md, bool ones_too) {
        for (int d = 0; d < md.ndims; ++d) {
            if (ones_too || md.dims[d] != 1) md.dims[d] = md.padded_dims[d] = impl::RUNTIME_DIM;
            md.strides[d] = impl::RUNTIME_DIM;
        }
    };
    for (const impl::layer_norm::tensor_kind &t : impl::layer_norm::TENSORS)
        if (has_descriptor(t)) forget(p[t.place], true);
    for (impl::post_op &op : p.attr.post_ops.entries)
        if (auto *binary = std::get_if<impl::binary_post_op>(&op)) forget(binary->src1, false); // 1: broadcast
    return p;
}

} // namespace jitnorm::tests
