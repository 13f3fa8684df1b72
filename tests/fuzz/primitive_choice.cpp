// SPDX-License-Identifier: Apache-2.0
#include "primitive_target.hpp"

#include <limits>

#include "norm/attributes.hpp"

namespace jitnorm::fuzz {

namespace {

float choose_number(byte_stream &choices) {
    using limits = std::numeric_limits<float>;
    constexpr float STRANGE[] = {-1, limits::quiet_NaN(), limits::infinity(), limits::max(), limits::denorm_min()};
    constexpr float ORDINARY[] = {1e-5F, 0, 1, 0.5F, 3};
    return choices.hostile() ? choices.pick(STRANGE) : choices.pick(ORDINARY);
}

jitnorm_prop_kind_t choose_kind(byte_stream &choices) {
    constexpr jitnorm_prop_kind_t KINDS[] = {jitnorm_forward_inference, jitnorm_forward_training, jitnorm_backward,
                                             jitnorm_backward_data};
    return choices.hostile() ? jitnorm_prop_kind_t(int(hostile_number(choices))) : choices.pick(KINDS);
}

unsigned choose_flags(byte_stream &choices) {
    constexpr unsigned FLAGS[] = {jitnorm_use_global_stats, jitnorm_use_scale, jitnorm_use_shift, jitnorm_rms_norm};
    unsigned flags = choices.hostile() ? unsigned(choices.number()) : 0;
    for (const unsigned flag : FLAGS)
        if (choices.coin()) flags |= flag;
#define FLAG(...)
#define AFFINE_FLAG(name, number, letter, needed)                                                                      \
    if ((flags & jitnorm_##needed) == unsigned(jitnorm_##needed) && choices.one_in(4)) flags |= jitnorm_##name;
#include "../../tables/normalization_flags.inc"
    return flags;
}

// A size of 1 for some of the first dimensions.
void broadcast_some(byte_stream &choices, tensor_rules &rules, size_t dimensions) {
    for (size_t d = 0; d < dimensions; ++d)
        if (choices.coin()) {
            rules.dims[d] = 1;
            rules.runtime_dims &= ~(1U << d);
        }
}

// Broadcast, at times all of the destination's size.
tensor_choice choose_source(byte_stream &choices, tensor_rules rules) {
    constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_s32, jitnorm_bf16, jitnorm_f16,
                                             jitnorm_f64, jitnorm_s8,  jitnorm_u8};
    broadcast_some(choices, rules, rules.dims.size());
    return choose_tensor(choices, rules, choices.hostile() ? jitnorm_data_type_undef : choices.pick(TYPES));
}

void append(byte_stream &choices, jitnorm_post_ops_t ops, const tensor_rules &rules, primitive_choice &what) {
    switch (choices.below(4)) {
    case 0: {
        const int alg = choices.hostile() ? int(hostile_number(choices)) : choices.pick(impl::ELTWISE_ALGORITHMS);
        const float alpha = choose_number(choices), beta = choose_number(choices);
        jitnorm_post_ops_append_eltwise(ops, jitnorm_alg_kind_t(alg), alpha, beta);
        break;
    }
    case 1: {
        const int zero_point = choices.one_in(4) ? int(choices.number()) : 0;
        const auto type = choices.one_in(3) ? choose_type(choices, true) : jitnorm_data_type_undef;
        jitnorm_post_ops_append_sum(ops, choose_number(choices), zero_point, type);
        break;
    }
    default: {
        const int alg = choices.hostile() ? int(hostile_number(choices)) : choices.pick(impl::BINARY_ALGORITHMS);
        const int argument = JITNORM_ARG_ATTR_MULTIPLE_POST_OP(jitnorm_post_ops_len(ops)) | JITNORM_ARG_SRC_1;
        const tensor_choice source = choose_source(choices, rules);
        const tests::owned_md md = exercised(choices, source.asked());
        if (jitnorm_post_ops_append_binary(ops, jitnorm_alg_kind_t(alg), md.get()) == jitnorm_success)
            what.tensors[argument] = source;
    }
    }
}

void choose_residual(byte_stream &choices, jitnorm_primitive_attr_t attr, const tensor_rules &rules,
                     primitive_choice &what) {
    constexpr jitnorm_data_type_t BIASES[] = {jitnorm_data_type_undef, jitnorm_f32, jitnorm_bf16, jitnorm_f16};
    const auto type = [&] { return choose_type(choices, what.is_forward()); };
    const tensor_choice added = choose_tensor(choices, rules, type());
    const tensor_choice result = choices.coin() ? added : choose_tensor(choices, rules, type());
    what.tensors[JITNORM_ARG_SRC_1] = what.tensors[JITNORM_ARG_DIFF_SRC_1] = added;
    what.tensors[JITNORM_ARG_DST_1] = what.tensors[JITNORM_ARG_DIFF_DST_1] = result;
    const tests::owned_md residual = exercised(choices, added.asked());
    const tests::owned_md sum = exercised(choices, result.asked());
    const auto bias = choices.hostile() ? jitnorm_data_type_t(hostile_number(choices)) : choices.pick(BIASES);
    const unsigned flags = choices.hostile() ? unsigned(choices.number()) : unsigned(choices.below(4));
    jitnorm_primitive_attr_set_residual(attr, choices.hostile() ? nullptr : residual.get(),
                                        choices.one_in(4) ? nullptr : sum.get(), bias, flags);
}

// Row dimensions of scale and shift, and a gate. Often both have the same ones, which backward needs.
void choose_modulation(byte_stream &choices, jitnorm_primitive_attr_t attr, tensor_rules rules,
                       primitive_choice &what) {
    constexpr jitnorm_data_type_t GATES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
    const auto choose = [&](jitnorm_data_type_t type) {
        tensor_rules own = rules;
        if (!own.dims.empty()) broadcast_some(choices, own, own.dims.size() - 1);
        tensor_choice chosen = choose_tensor(choices, own, choices.hostile() ? choose_type(choices, true) : type);
        if (choices.below(4) > 0) { // most other layouts are refused
            chosen.tag = jitnorm_format_tag_undef;
            chosen.null_strides = true;
        }
        return chosen;
    };
    const auto keep = [&](int argument, int gradient, tensor_choice chosen) {
        if (chosen.ndims <= 0) return;
        what.tensors[argument] = chosen;
        chosen.tag = jitnorm_format_tag_any; // row major
        what.tensors[gradient] = chosen;
    };
    if (choices.coin()) {
        const tensor_choice scale = choose(what.scale_shift_type);
        const tensor_choice shift = choices.one_in(4) ? choose(what.scale_shift_type) : scale;
        const tests::owned_md asked = exercised(choices, scale.asked());
        jitnorm_primitive_attr_set_scale_shift_descs(attr, asked.get(), shift.asked().get());
        keep(JITNORM_ARG_SCALE, JITNORM_ARG_DIFF_SCALE, scale);
        keep(JITNORM_ARG_SHIFT, JITNORM_ARG_DIFF_SHIFT, shift);
    }
    if (choices.below(4) == 0) return;
    const tensor_choice gate = choose(choices.pick(GATES));
    jitnorm_primitive_attr_set_residual_gate(attr, exercised(choices, gate.asked()).get());
    keep(JITNORM_ARG_SRC_2, JITNORM_ARG_DIFF_SRC_2, gate);
}

// For rows of dst, or for groups of their columns. Mostly dst then has a type for which there are such scales.
void find_scales(byte_stream &choices, jitnorm_primitive_attr_t attr, primitive_choice &what) {
    constexpr jitnorm_data_type_t TYPES[] = {jitnorm_s8, jitnorm_u8, jitnorm_f8_e4m3, jitnorm_f8_e5m2};
    tensor_choice &dst = what.tensors[JITNORM_ARG_DST];
    const size_t ndims = dst.dims.size();
    if (what.is_forward() && !choices.hostile()) dst.type = choices.pick(TYPES);
    const int rows = (1 << (ndims - 1)) - 1;
    const bool grouped = choices.coin();
    const jitnorm_dim_t width = choices.hostile() ? hostile_number(choices) : 1 + jitnorm_dim_t(choices.below(8));
    const jitnorm_dim_t groups[] = {1, width};
    jitnorm_primitive_attr_set_scales_v3(
        attr, JITNORM_ARG_DST, choices.hostile() ? int(choices.number()) : (grouped ? 2 * rows + 1 : rows),
        grouped ? 2 : 0, groups, jitnorm_f32, 0, jitnorm_quantization_mode_dynamic_amax);
}

// Those that forward has.
void choose_forward_attributes(byte_stream &choices, jitnorm_primitive_attr_t attr, const tensor_rules &rules,
                               primitive_choice &what) {
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST})
        if (choices.one_in(3))
            jitnorm_primitive_attr_set_scales_mask(attr, choices.hostile() ? int(choices.number()) : arg,
                                                   choices.hostile() ? int(choices.number()) : 0);
    if (choices.one_in(4) && !what.tensors[JITNORM_ARG_DST].dims.empty()) find_scales(choices, attr, what);
    const tests::owned_post_ops ops = tests::make_post_ops();
    for (size_t left = choices.hostile() ? 34 : choices.below(4); left > 0; --left) append(choices, ops, rules, what);
    require(jitnorm_primitive_attr_set_post_ops(attr, ops) == jitnorm_success, "post-ops can be set");
    const auto choose_output = [&](int argument) {
        const tensor_choice &output = what.tensors[argument] =
            choose_tensor(choices, rules, choose_type(choices, what.is_forward()));
        return exercised(choices, output.asked());
    };
    uint8_t wanted = choices.byte(); // for all of them: one more changes no other choice
#define FURTHER_OUTPUT(place, number, attribute, ...)                                                                  \
    if (wanted % 4 == 3)                                                                                               \
        jitnorm_primitive_attr_set_##attribute##_dst(attr, choose_output(JITNORM_ARG_DST_##number).get());             \
    wanted = std::rotr(wanted, 2);
#include "../../tables/outputs.inc"
}

tests::owned_attr choose_attributes(byte_stream &choices, const tensor_rules &rules, primitive_choice &what) {
    if (choices.below(3) == 0) return nullptr;
    tests::owned_attr attr = tests::make_attr();
    if (choices.coin())
        jitnorm_primitive_attr_set_scratchpad_mode(attr, jitnorm_scratchpad_mode_t(choices.hostile() ? 2 : 1));
    if (choices.coin()) choose_residual(choices, attr, rules, what);
    if (what.is_forward() || choices.hostile()) choose_forward_attributes(choices, attr, rules, what);
    if (choices.coin()) choose_modulation(choices, attr, rules, what);
    auto clone =
        tests::make_owned<tests::owned_attr>("attributes can be cloned", jitnorm_primitive_attr_clone, attr.get());
    return choices.coin() ? std::move(clone) : std::move(attr);
}

// The request's descriptors, made; hostile requests have null pointers among them.
struct descriptors {
    tests::owned_md src, dst, diff_src, statistics;
};

descriptors describe(byte_stream &choices, const primitive_choice &what) {
    const auto made = [&](const tensor_choice &t) {
        tests::owned_md md = exercised(choices, t.asked());
        return choices.hostile() ? nullptr : std::move(md);
    };
    descriptors all{made(what.tensors.at(JITNORM_ARG_SRC)), made(what.tensors.at(JITNORM_ARG_DST)),
                    made(what.tensors.at(JITNORM_ARG_DIFF_SRC)), nullptr};
    if (what.statistics_are_given) all.statistics = made(what.tensors.at(JITNORM_ARG_VARIANCE));
    return all;
}

jitnorm_status_t create(byte_stream &choices, const primitive_choice &what, const descriptors &all,
                        const_jitnorm_primitive_attr_t attr, jitnorm_primitive_desc_t *pd) {
    const jitnorm_engine_t on = choices.hostile() ? nullptr : tests::cpu();
    const bool forward = what.is_forward() != choices.hostile();
    if (forward)
        return jitnorm_layer_normalization_forward_primitive_desc_create_v2(
            pd, on, what.kind, all.src.get(), all.dst.get(), all.statistics.get(), what.scale_shift_type, what.epsilon,
            what.flags, attr);
    jitnorm_primitive_desc_t hint = nullptr;
    if (choices.one_in(8))
        jitnorm_layer_normalization_forward_primitive_desc_create(&hint, tests::cpu(), jitnorm_forward_training,
                                                                  all.src.get(), all.diff_src.get(),
                                                                  all.statistics.get(), 0, what.flags, nullptr);
    const tests::owned_pd owned(hint);
    return jitnorm_layer_normalization_backward_primitive_desc_create_v2(
        pd, on, what.kind, all.diff_src.get(), all.dst.get(), all.src.get(), all.statistics.get(),
        what.diff_scale_shift_type, what.scale_shift_type, what.epsilon, what.flags, hint, attr);
}

tensor_rules choose_rules(byte_stream &choices) {
    tensor_rules rules;
    rules.dims = choose_dims(choices, choices.hostile() ? choices.below(8) : 2 + choices.below(4));
    if (choices.one_in(6)) rules.runtime_dims = choices.byte();
    return rules;
}

void choose_operation(byte_stream &choices, primitive_choice &what) {
    constexpr jitnorm_data_type_t AFFINE[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};
    what.kind = choose_kind(choices);
    what.flags = choose_flags(choices);
    what.epsilon = choose_number(choices);
    for (jitnorm_data_type_t *type : {&what.scale_shift_type, &what.diff_scale_shift_type})
        *type = choices.hostile() ? jitnorm_data_type_t(choices.below(10)) : choices.pick(AFFINE);
}

void choose_tensors(byte_stream &choices, tensor_rules rules, primitive_choice &what) {
    const bool forward = what.is_forward();
    const auto type = choose_type(choices, forward);
    const auto another_type = [&] { return choices.coin() ? type : choose_type(choices, forward); };
    const tensor_choice dst = choose_tensor(choices, rules, another_type());
    const tensor_choice diff_src = choices.one_in(4) ? dst : choose_tensor(choices, rules, another_type());
    rules.may_be_any = false;
    const tensor_choice src = choices.one_in(4) ? dst : choose_tensor(choices, rules, type);
    rules.may_be_any = true;
    if (!rules.dims.empty()) rules.dims.pop_back();
    what.statistics_are_given = choices.coin();
    tensor_choice statistics =
        choose_tensor(choices, rules, choices.hostile() ? choose_type(choices, true) : jitnorm_f32);
    if (!what.statistics_are_given) statistics.tag = jitnorm_format_tag_any; // row major, with run-time sizes
    tensor_choice vector;
    vector.null_strides = true;
    vector.ndims = 1;
    vector.dims = {src.dims.empty() ? 1 : src.dims.back()};
    what.tensors = {
        {JITNORM_ARG_SRC, src},           {JITNORM_ARG_DIFF_SRC, diff_src}, {JITNORM_ARG_DST, dst},
        {JITNORM_ARG_DIFF_DST, dst},      {JITNORM_ARG_MEAN, statistics},   {JITNORM_ARG_VARIANCE, statistics},
        {JITNORM_ARG_SCALE, vector},      {JITNORM_ARG_SHIFT, vector},      {JITNORM_ARG_DIFF_SCALE, vector},
        {JITNORM_ARG_DIFF_SHIFT, vector}, {JITNORM_ARG_BIAS, vector}};
}

} // namespace

tests::owned_md primitive_choice::actual(int argument, jitnorm_data_type_t type) const {
    const auto chosen = tensors.find(argument);
    if (chosen == tensors.end()) return nullptr;
    tensor_choice tensor = chosen->second;
    tensor.type = type;
    return tensor.actual();
}

tests::owned_pd request(byte_stream &choices, primitive_choice &what) {
    choose_operation(choices, what);
    const tensor_rules rules = choose_rules(choices);
    choose_tensors(choices, rules, what);
    const tests::owned_attr attr = choose_attributes(choices, rules, what);
    const descriptors all = describe(choices, what);
    jitnorm_primitive_desc_t pd = nullptr;
    const jitnorm_status_t status = create(choices, what, all, attr.get(), &pd);
    require_one_of("creating a primitive descriptor has a documented status", status, jitnorm_success,
                   jitnorm_invalid_arguments, jitnorm_unimplemented, jitnorm_out_of_memory);
    require((status == jitnorm_success) == (pd != nullptr), "a result is written on success only");
    return tests::owned_pd(pd);
}

} // namespace jitnorm::fuzz
