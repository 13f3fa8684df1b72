// SPDX-License-Identifier: Apache-2.0
// primitives_with_all: primitives of which each argument belongs to at least one.
#pragma once

#include <functional>
#include <set>

#include "row_tensors.hpp"

namespace jitnorm::tests {

constexpr int DST_SCALE = JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST;
inline const dims SIZES = {2, 3, 24};

struct primitive_case {
    const char *name;
    std::set<int> outputs;
    std::set<std::pair<int, int>> in_place; // output, input
    std::function<owned_pd()> make;
};

inline owned_pd make_forward(jitnorm_prop_kind_t kind, jitnorm_data_type_t src, jitnorm_data_type_t dst,
                             const owned_attr &attr, unsigned flags = CH) {
    const owned_md from = make_md(SIZES, src), to = make_md(SIZES, dst);
    return forward_request{kind, from, to}.make(flags, attr);
}

inline void set_further_outputs(const owned_attr &attr, const owned_md &md) {
#define FURTHER_OUTPUT(place, number, attribute, ...) EXPECT_OK(jitnorm_primitive_attr_set_##attribute##_dst(attr, md));
#include "../../tables/outputs.inc"
}

// A residual, a bias, a sum, further outputs, tensors of post-ops and the caller's scratchpad.
inline owned_pd with_all_attributes() {
    const owned_md data = make_md(SIZES, jitnorm_f32), row = make_md({1, 1, SIZES[2]}, jitnorm_f32);
    const owned_attr attr = with_residual(data, data, jitnorm_f32);
    set_further_outputs(attr, data);
    EXPECT_OK(jitnorm_primitive_attr_set_scratchpad_mode(attr, jitnorm_scratchpad_mode_user));
    append(attr, [&](jitnorm_post_ops_t post_ops) {
        EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_mul, data));
        return jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, row);
    });
    return make_forward(jitnorm_forward_training, jitnorm_f32, jitnorm_f32, attr);
}

inline owned_pd with_dynamic_scales() {
    const owned_md half = make_md(SIZES, jitnorm_bf16), row = make_md({1, 1, SIZES[2]}, jitnorm_f32);
    const owned_attr attr = with_residual(half, half);
    EXPECT_OK(jitnorm_primitive_attr_set_scales_v3(attr, JITNORM_ARG_DST, 3, 0, nullptr, jitnorm_f32, 0,
                                                   jitnorm_quantization_mode_dynamic_amax));
    set_further_outputs(attr, half);
    append(attr, [&](jitnorm_post_ops_t p) { return jitnorm_post_ops_append_binary(p, jitnorm_binary_mul, row); });
    return make_forward(jitnorm_forward_inference, jitnorm_s8, jitnorm_s8, attr);
}

inline owned_pd with_given_scales() {
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 0));
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_DST, 0));
    append(attr, [](jitnorm_post_ops_t p) { return jitnorm_post_ops_append_sum(p, 0.5F, 0, jitnorm_s8); });
    return make_forward(jitnorm_forward_inference, jitnorm_s8, jitnorm_s8, attr, CH | jitnorm_use_global_stats);
}

inline owned_pd with_gradient_of_sum() {
    const owned_md data = make_md(SIZES, jitnorm_f32);
    const owned_attr attr = with_residual(data, data);
    return backward_request{jitnorm_backward, data, data, data}.make(CH, attr);
}

inline owned_pd with_gradient_of_gate() {
    const owned_md data = make_md(SIZES, jitnorm_f32), gate = make_md({SIZES[0], 1, SIZES[2]}, jitnorm_f32);
    const owned_attr attr = with_residual(data, data);
    EXPECT_OK(jitnorm_primitive_attr_set_residual_gate(attr, gate));
    return backward_request{jitnorm_backward, data, data, data}.make(CH, attr);
}

// dst, the sum, further outputs, and these.
inline std::set<int> outputs_and(std::set<int> all) {
    all.insert({JITNORM_ARG_DST, JITNORM_ARG_DST_1});
#define FURTHER_OUTPUT(place, number, ...) all.insert(JITNORM_ARG_DST_##number);
#include "../../tables/outputs.inc"
    return all;
}

inline const primitive_case CASES[] = {
    {"all attributes",
     outputs_and({JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE, JITNORM_ARG_SCRATCHPAD}),
     {{JITNORM_ARG_DST, JITNORM_ARG_SRC}, {JITNORM_ARG_DST_1, JITNORM_ARG_SRC_1}},
     with_all_attributes},
    {"dynamic scales",
     outputs_and({DST_SCALE}),
     {{JITNORM_ARG_DST, JITNORM_ARG_SRC}, {JITNORM_ARG_DST_1, JITNORM_ARG_SRC_1}},
     with_dynamic_scales},
    {"given scales", {JITNORM_ARG_DST}, {{JITNORM_ARG_DST, JITNORM_ARG_SRC}}, with_given_scales},
    {"backward",
     {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT},
     {{JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST}, {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST_1}},
     with_gradient_of_sum},
    {"backward with a gate",
     {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT, JITNORM_ARG_DIFF_SRC_1,
      JITNORM_ARG_DIFF_SRC_2},
     {{JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST},
      {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST_1},
      {JITNORM_ARG_DIFF_SRC_1, JITNORM_ARG_DIFF_DST},
      {JITNORM_ARG_DIFF_SRC_1, JITNORM_ARG_DIFF_DST_1}},
     with_gradient_of_gate},
};

} // namespace jitnorm::tests
