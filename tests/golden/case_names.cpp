// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "case_lists.hpp"
#include "tensor/names.hpp"

namespace jitnorm::tests {

namespace {

std::string name_of(const post_op &op) {
    if (std::holds_alternative<impl::sum_post_op>(op)) return "sum";
    if (const auto *eltwise = std::get_if<impl::eltwise_post_op>(&op)) return std::string(impl::name_of(eltwise->alg));
    const auto &binary = std::get<impl::binary_post_op>(op);
    return std::string(impl::name_of(binary.alg)) + "_" + std::string(impl::name_of(binary.src1.data_type));
}

std::string flags_of(const setup &s) {
    std::string text;
#define FLAG(name, number, letter)                                                                                     \
    if ((s.flags & jitnorm_##name) != 0) text += char(std::tolower((letter)[0]));
#include "../../tables/normalization_flags.inc"
    return text.empty() ? "-" : text;
}

const char *kind_of(const setup &s) {
    return s.kind == BACKWARD        ? "backward"
           : s.kind == BACKWARD_DATA ? "backward_data"
           : s.kind == INFERENCE     ? "inference"
                                     : "training";
}

const char *content_of(const golden_case &c) {
    static const char *const NAMES[] = {"",     "constant", "huge_mean", "outlier",  "ramp",
                                        "huge", "tiny",     "denormal",  "infinite", "mixed"};
    return NAMES[size_t(c.src)];
}

std::string types_of(const setup &s, bool is_forward) {
    const auto name = [](jitnorm_data_type_t type) { return std::string(impl::name_of(type)); };
    std::string text = name(s.src_type) + ":" + name(s.dst_type);
    if (!is_forward) text += ":" + name(s.diff_src_type);
    if (s.affine_type != F32) text += " affine " + name(s.affine_type);
    if (s.gradient_type != jitnorm_data_type_undef) text += " gradients " + name(s.gradient_type);
    if (s.statistics_type != F32) text += " statistics " + name(s.statistics_type);
    return text;
}

std::string layouts_of(const setup &s, bool is_forward) {
    std::string text = s.src + ":" + s.dst;
    if (!is_forward) text += ":" + s.diff_src;
    if (s.statistics != "dense") text += " statistics " + s.statistics;
    return text;
}

} // namespace

std::string description_of(const golden_case &c) {
    const setup &s = c.s;
    const bool is_forward = make_problem(s).is_forward();
    std::string text = std::string(kind_of(s)) + " " + flags_of(s) + " ";
    for (size_t d = 0; d < s.dims.size(); ++d) text += (d == 0 ? "" : "x") + std::to_string(s.dims[d]);
    text += " " + types_of(s, is_forward) + " " + layouts_of(s, is_forward);
    if (s.axes > 1) text += " axes " + std::to_string(s.axes);
    if (s.form == statistics_form::inverse_deviation) text += " inverse_deviations";
    if (s.attr.src_scale) text += " src_scale";
    if (s.attr.dst_scale) text += " dst_scale";
    if (s.dynamic_scales.ndims != 0)
        text += " dynamic_scales " + std::to_string(s.dynamic_scales.dims[s.dims.size() - 1]);
    for (const post_op &op : s.attr.post_ops.entries) text += " +" + name_of(op);
    if (!s.residual.added.empty()) text += " residual " + std::string(impl::name_of(s.residual.type));
    if (!s.residual.sum.empty()) text += " sum " + std::string(impl::name_of(s.residual.sum_type));
    if (s.residual.bias_type != jitnorm_data_type_undef) text += " bias";
    if (s.residual.rounded) text += " rounded";
    if (s.residual.silu) text += " silu";
    if (s.residual.in_place) text += " sum_in_place";
    if (!s.pre_quantization.empty()) text += " pre_quantization " + std::string(impl::name_of(s.pre_quantization_type));
    if (s.in_place) text += " in_place";
    if (c.runtime_sizes) text += " runtime_sizes";
    if (c.src != content::ordinary) text += std::string(" ") + content_of(c);
    return text + " seed " + std::to_string(s.seed);
}

} // namespace jitnorm::tests
