// SPDX-License-Identifier: Apache-2.0
// describe: a problem as one line of benchdnn-lite's syntax. The direction, types, tags and epsilon are always written;
// everything else is left out where it has its usual value. Lists of tensors are src:dst forward and
// src:diff_dst[:diff_src] backward; diff_src is left out where its text equals that of src.
#include "problem.hpp"

#include <cctype>
#include <charconv>

#include "../tensor/names.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// The shortest text that reads back as the same value, without the plus sign of an exponent: in lists it has a meaning.
template <typename Real>
std::string text_of(Real value) {
    char buffer[32];
    std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
    std::erase(text, '+');
    return text;
}

// A number that is no float can only have come as a double, which the syntax says after it.
std::string describe_epsilon(double epsilon) {
    const auto rounded = float(epsilon);
    return double(rounded) == epsilon ? text_of(rounded) : text_of(epsilon) + ":f64";
}

// Adds an entry to a list in which a plus separates the entries. An empty one adds nothing.
void append(std::string &list, const std::string &entry) { list += (list.empty() || entry.empty() ? "" : "+") + entry; }

std::string knob(std::string_view name, const std::string &value) {
    return value.empty() ? value : "--" + std::string(name) + "=" + value + " ";
}

// The texts that describe_one() returns for the tensors, separated by ':'; `none` stands for an omitted dst.
template <typename Describe>
std::string each_tensor(const problem &p, const char *none, Describe &&describe_one) {
    const std::string src(describe_one(p[SRC]));
    if (p.is_forward()) return src + (p.writes(DST) ? ":" + std::string(describe_one(p[DST])) : none);
    const std::string diff_src(describe_one(p[DIFF_SRC]));
    return src + ":" + std::string(describe_one(p[DIFF_DST])) + (diff_src == src ? "" : ":" + diff_src);
}

std::string describe_flags(const problem &p) {
    std::string text;
#define FLAG(name, number, letter)                                                                                     \
    if (p.has(jitnorm_##name)) text += (letter);
#include "../../tables/normalization_flags.inc"
    return text;
}

std::string describe_scale_shift_types(const problem &p) {
    const std::string given(name_of(p.scale_shift_type));
    const std::string gradient(name_of(p.diff_scale_shift_type));
    if ((p.writes(DIFF_SCALE) || p.writes(DIFF_SHIFT)) && gradient != given) return given + ":" + gradient;
    return p.scale_shift_type == jitnorm_f32 ? "" : given;
}

// Bit d is set where the tensor varies along dimension d, one of the first `ndims`.
unsigned mask_of(const memory_desc &md, int ndims) {
    unsigned mask = 0;
    for (int d = 0; d < ndims; ++d)
        if (md.dims[d] != 1) mask |= 1u << d;
    return mask;
}

// Scale, shift and gate with row dimensions.
std::string describe_modulation(const problem &p) {
    std::string list;
    for (const auto &[name, s] : {std::pair("scale", SCALE), std::pair("shift", SHIFT), std::pair("gate", GATE)}) {
        if (p[s].ndims == 0) continue;
        append(list, std::string(name) + ":" + std::to_string(mask_of(p[s], p.row_ndims())));
        if (s == GATE) list += ":" + std::string(name_of(p[s].data_type));
    }
    return list;
}

// The members of a problem that only some front ends set.
std::string describe_choices(const problem &p) {
    std::string omitted;
    for (const tensor_kind &t : TENSORS)
        if ((p.omitted & ~bit_of(DST) & bit_of(t.place)) != 0) append(omitted, t.name);
    const std::string type(name_of(p[VARIANCE].data_type));
    return knob("axes", p.normalized_axes == 1 ? "" : std::to_string(p.normalized_axes)) +
           knob("stat_dt", p[VARIANCE].data_type == jitnorm_f32 ? "" : type) +
           knob("stat", p.form == statistics_form::inverse_deviation ? "rstd" : "") + knob("left-out", omitted) +
           knob("scale", p.scale_is_ones ? "ones" : "") +
           knob("rows-from", p.is_partial() ? std::to_string(p.first_row) + "/" + std::to_string(p.all_rows) : "") +
           knob("columns-of", p.shares_columns() ? std::to_string(p.all_columns) : "");
}

// The syntax needs the value of a given scale, which each execution brings: 1 is written in its place.
std::string describe_scales(const problem &p) {
    std::string list = p.attr.src_scale ? "src:common:1" : "";
    if (p.has_dynamic_scales()) {
        const dim_t width = p.has_elements() ? columns_per_scale(p) : p.row_length();
        append(list, width == p.row_length() ? "dst:per_row:f32:dynamic_amax"
                                             : "dst:per_tensor:f32:1x" + std::to_string(width) + ":dynamic_amax");
    } else if (p.attr.dst_scale) {
        append(list, "dst:common:1");
    }
    return list;
}

std::string describe_entry(const sum_post_op &op) {
    std::string text = "sum:" + text_of(op.scale) + ":" + std::to_string(op.zero_point);
    if (op.data_type != jitnorm_data_type_undef) text += ":" + std::string(name_of(op.data_type));
    return text;
}

std::string describe_entry(const eltwise_post_op &op) {
    return std::string(name_of(op.alg)) + ":" + text_of(op.alpha) + ":" + text_of(op.beta);
}

std::string describe_entry(const binary_post_op &op) {
    return std::string(name_of(op.alg)) + ":" + std::string(name_of(op.src1.data_type)) + ":" +
           std::to_string(mask_of(op.src1, op.src1.ndims)) + ":" + layout_name(op.src1);
}

std::string describe_post_ops(const post_op_list &post_ops) {
    std::string list;
    for (const post_op &entry : post_ops.entries)
        append(list, std::visit([](const auto &op) { return describe_entry(op); }, entry));
    return list;
}

std::string describe_tensor(const std::string &name, const memory_desc &md) {
    return name + ":" + std::string(name_of(md.data_type)) + ":" + layout_name(md);
}

// The tensors have the names of their arguments in forward: in backward dst1 is the gradient of the sum.
std::string describe_residual(const problem &p) {
    std::string list;
    if (p.uses(RESIDUAL)) append(list, describe_tensor("src1", p[RESIDUAL]));
    for (const slot sum : {SUM, DIFF_SUM})
        if (p.uses(sum)) append(list, describe_tensor("dst1", p[sum]));
    if (p.uses(BIAS)) append(list, "bias:" + std::string(name_of(p.attr.bias_type)));
    if (p.uses(RESIDUAL) && p.attr.normalizes_rounded_sum) append(list, "rounded");
    if (p.uses(RESIDUAL) && p.attr.multiplies_silu) append(list, "silu");
    return list;
}

// A knob for each, with the argument's name in the syntax: DST_2 is dst2.
std::string describe_further_outputs(const problem &p) {
    std::string text;
    for (const tensor_kind &t : TENSORS) {
        if (!is_further_output(t) || !p.uses(t.place)) continue;
        std::string name;
        for (const char c : std::string_view(t.arg_name))
            if (c != '_') name += char(std::tolower(c));
        text += knob(t.knob, describe_tensor(name, p[t.place]));
    }
    return text;
}

} // namespace

std::string describe(const problem &p) {
    const bool user_scratchpad = p.attr.scratchpad_mode == jitnorm_scratchpad_mode_user;
    return knob("dir", std::string(name_of(p.prop_kind))) +
           knob("dt", each_tensor(p, "", [](auto &md) { return name_of(md.data_type); })) +
           knob("tag", each_tensor(p, ":undef", layout_name)) + knob("stat_tag", layout_name(p[VARIANCE])) +
           knob("ss_dt", describe_scale_shift_types(p)) + knob("flags", describe_flags(p)) + describe_choices(p) +
           knob("eps", describe_epsilon(p.epsilon)) + knob("attr-scratchpad", user_scratchpad ? "user" : "") +
           knob("attr-modulation", describe_modulation(p)) + knob("attr-residual", describe_residual(p)) +
           describe_further_outputs(p) + knob("attr-scales", describe_scales(p)) +
           knob("attr-post-ops", describe_post_ops(p.attr.post_ops)) + join(dims_of(p[SRC]));
}

} // namespace jitnorm::impl::layer_norm
