// SPDX-License-Identifier: Apache-2.0
#include "problems.hpp"

#include <cctype>
#include <ostream>
#include <variant>

#include "tensor/names.hpp"

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

std::string type_name(jitnorm_data_type_t type) { return std::string(impl::name_of(type)); }

std::string name_of(const impl::post_op &op) {
    if (std::holds_alternative<impl::sum_post_op>(op)) return "sum";
    if (const auto *eltwise = std::get_if<impl::eltwise_post_op>(&op)) return std::string(impl::name_of(eltwise->alg));
    const auto &binary = std::get<impl::binary_post_op>(op);
    return std::string(impl::name_of(binary.alg)) + "_" + type_name(binary.src1.data_type);
}

std::string flags_of(const setup &s) {
    std::string text;
#define FLAG(name, number, letter)                                                                                     \
    if ((s.flags & jitnorm_##name) != 0) text += char(std::tolower((letter)[0]));
#include "../../tables/normalization_flags.inc"
    return text.empty() ? "-" : text;
}

const char *kind_of(const setup &s) {
    return s.kind == jitnorm_backward            ? "backward"
           : s.kind == jitnorm_backward_data     ? "backward_data"
           : s.kind == jitnorm_forward_inference ? "inference"
                                                 : "training";
}

std::string types_of(const setup &s, bool is_forward) {
    std::string text = type_name(s.src_type) + ":" + type_name(s.dst_type);
    if (!is_forward) text += ":" + type_name(s.diff_src_type);
    if (s.affine_type != jitnorm_f32) text += " affine " + type_name(s.affine_type);
    if (s.gradient_type != jitnorm_data_type_undef) text += " gradients " + type_name(s.gradient_type);
    if (s.statistics_type != jitnorm_f32) text += " statistics " + type_name(s.statistics_type);
    return text;
}

std::string layouts_of(const setup &s, bool is_forward) {
    std::string text = s.src + ":" + s.dst;
    if (!is_forward) text += ":" + s.diff_src;
    if (s.statistics != "dense") text += " statistics " + s.statistics;
    return text;
}

} // namespace

std::string text_of(const setup &s) {
    const bool is_forward = s.kind != jitnorm_backward && s.kind != jitnorm_backward_data;
    std::string text = std::string(kind_of(s)) + " " + flags_of(s) + " ";
    for (size_t d = 0; d < s.dims.size(); ++d) text += (d == 0 ? "" : "x") + std::to_string(s.dims[d]);
    text += " " + types_of(s, is_forward) + " " + layouts_of(s, is_forward);
    if (s.axes > 1) text += " axes " + std::to_string(s.axes);
    if (s.form == statistics_form::inverse_deviation) text += " inverse_deviations";
    if (s.attr.src_scale) text += " src_scale";
    if (s.attr.dst_scale) text += " dst_scale";
    if (s.dynamic_scales.ndims != 0)
        text += " dynamic_scales " + std::to_string(s.dynamic_scales.dims[s.dims.size() - 1]);
    for (const impl::post_op &op : s.attr.post_ops.entries) text += " +" + name_of(op);
    if (!s.residual.added.empty()) text += " residual " + type_name(s.residual.type);
    if (!s.residual.sum.empty()) text += " sum " + type_name(s.residual.sum_type);
    if (s.residual.bias_type != jitnorm_data_type_undef) text += " bias";
    if (s.residual.gate_type != jitnorm_data_type_undef) text += " gate";
    if (s.residual.rounded) text += " rounded";
    if (s.residual.silu) text += " silu";
    if (s.residual.in_place) text += " sum_in_place";
    if (!s.pre_quantization.empty()) text += " pre_quantization " + type_name(s.pre_quantization_type);
    if (s.in_place) text += " in_place";
    if (s.omitted != 0) text += " omitted " + std::to_string(s.omitted);
    if (s.scale_is_ones) text += " scale_is_ones";
    if (s.all_rows >= 0) text += " rows from " + std::to_string(s.first_row) + " of " + std::to_string(s.all_rows);
    if (s.all_columns >= 0) text += " columns of " + std::to_string(s.all_columns);
    return text;
}

std::ostream &operator<<(std::ostream &out, const setup &s) { return out << text_of(s) << " seed " << s.seed; }

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
