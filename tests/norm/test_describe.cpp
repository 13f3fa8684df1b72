// SPDX-License-Identifier: Apache-2.0
// The text of problems, in the syntax that benchdnn-lite reads.
#include <gtest/gtest.h>

#include "support/problems.hpp"
#include "support/undefined.hpp"
#include "tensor/names.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

constexpr auto TRAINING = jitnorm_forward_training, INFERENCE = jitnorm_forward_inference, BACKWARD = jitnorm_backward;
constexpr auto F32 = jitnorm_f32, BF16 = jitnorm_bf16, F16 = jitnorm_f16, S8 = jitnorm_s8, U8 = jitnorm_u8;
constexpr unsigned USE_SCALE = jitnorm_use_scale, RMS = jitnorm_rms_norm;

attributes scaling(bool src, bool dst) {
    attributes attr;
    attr.src_scale = src;
    attr.dst_scale = dst;
    return attr;
}

attributes many_attributes() {
    attributes attr = scaling(true, true);
    attr.scratchpad_mode = jitnorm_scratchpad_mode_user;
    attr.post_ops.entries = {sum_post_op{0.5f, 3, U8}, sum_post_op{}, eltwise_post_op{jitnorm_eltwise_gelu_tanh, 0, 0},
                             eltwise_post_op{jitnorm_eltwise_clip_v2, -1e20f, 6.5f},
                             binary_post_op{jitnorm_binary_mul, dense({1, 3, 8}, U8)}};
    return attr;
}

// Each line is as it is here, or has this part. Default setups are of forward training with scale and shift.
TEST(describe, setups) {
    setup rounded_sum = {.residual = {.added = "ab", .sum = "ba", .type = BF16, .sum_type = F32, .bias_type = F16}};
    rounded_sum.residual.rounded = rounded_sum.residual.silu = true;
    setup others = {.kind = BACKWARD, .flags = USE_SCALE, .dims = {2, 3, 8}, .axes = 2, .statistics_type = BF16};
    others.form = statistics_form::inverse_deviation;
    others.omitted = bit_of(DIFF_SRC) | bit_of(DIFF_SCALE);
    others.scale_is_ones = true;
    const struct {
        setup s;
        std::string part;
    } rows[] = {
        {{.dims = {128, 768}}, "--dir=FWD_D --dt=f32:f32 --tag=ab:ab --stat_tag=a --flags=CH --eps=1e-05 128x768"},
        {{.kind = INFERENCE, .flags = USE_SCALE | RMS | jitnorm_scale_plus_one}, " --stat_tag=a --flags=CMP --eps="},
        {{.kind = INFERENCE, .flags = USE_SCALE | RMS | jitnorm_round_normalized}, " --flags=CMR "},
        {{.kind = INFERENCE,
          .flags = jitnorm_use_global_stats | USE_SCALE | jitnorm_use_shift | RMS,
          .dims = {2, 3, 8},
          .src = "bac",
          .dst = "aBc8b",
          .statistics = "ba",
          .src_type = BF16,
          .dst_type = S8,
          .affine_type = F16,
          .gradient_type = F32,
          .attr = many_attributes()},
         "--dir=FWD_I --dt=bf16:s8 --tag=bac:aBc8b --stat_tag=ba --ss_dt=f16 --flags=GCHM --eps=1e-05 "
         "--attr-scratchpad=user --attr-scales=src:common:1+dst:common:1 "
         "--attr-post-ops=sum:0.5:3:u8+sum:1:0+gelu_tanh:0:0+clip_v2:-1e20:6.5+mul:u8:6:abc 2x3x8"},
        {{.kind = BACKWARD, .flags = 0, .dims = {16, 64}},
         "--dir=BWD_DW --dt=f32:f32 --tag=ab:ab --stat_tag=a --eps=1e-05 16x64"},
        {{.kind = jitnorm_backward_data, .flags = 0, .dims = {16, 64}, .diff_src = "65,1"},
         "--dir=BWD_D --dt=f32:f32 --tag=ab:ab:65x1 --stat_tag=a --eps=1e-05 16x64"},
        {{.kind = BACKWARD, .affine_type = BF16, .gradient_type = F32}, " --ss_dt=bf16:f32 "},
        {{.kind = BACKWARD, .affine_type = BF16}, " --ss_dt=bf16 "},
        {{.attr = scaling(true, false)}, " --attr-scales=src:common:1 "},
        {{.attr = scaling(false, true)}, " --attr-scales=dst:common:1 "},
        // scales that are found
        {{.dims = {2, 8}, .dst_type = S8, .dynamic_scales = dense({2, 1})},
         " --eps=1e-05 --attr-scales=dst:per_row:f32:dynamic_amax 2x8"},
        {{.dims = {2, 0}, .dst_type = S8, .dynamic_scales = dense({2, 0})}, ":dynamic_amax 2x0"},
        {{.dims = {2, 8}, .dst_type = S8, .attr = scaling(true, false), .dynamic_scales = dense({2, 4})},
         " --attr-scales=src:common:1+dst:per_tensor:f32:1x2:dynamic_amax 2x8"},
        // residuals
        {{.residual = {.added = "ab", .sum = "", .type = BF16}}, " --attr-residual=src1:bf16:ab "},
        {rounded_sum, " --attr-residual=src1:bf16:ab+dst1:f32:ba+bias:f16+rounded+silu "},
        {{.kind = BACKWARD, .residual = {.added = "", .sum = "ba"}}, " --attr-residual=dst1:f32:ba "},
        {{.pre_quantization = "ba"}, " --attr-pre-quantization=dst2:f32:ba "},
        // what only some front ends ask for
        {others,
         " --stat_tag=a --flags=C --axes=2 --stat_dt=bf16 --stat=rstd --left-out=diff_src+diff_scale --scale=ones "
         "--eps="},
        {{.kind = BACKWARD, .first_row = 64, .all_rows = 100}, " --rows-from=64/100 "},
        {{.kind = TRAINING, .flags = 0, .dims = {4, 8}, .omitted = bit_of(DST) | bit_of(MEAN), .all_columns = 32},
         "--dir=FWD_D --dt=f32 --tag=ab:undef --stat_tag=a --left-out=mean --columns-of=32 --eps=1e-05 4x8"}};
    for (const auto &[s, part] : rows) {
        const std::string line = describe(make_problem(s));
        if (part[0] == '-') {
            EXPECT_EQ(line, part);
        } else {
            EXPECT_NE(line.find(part), std::string::npos) << "no '" << part << "' in " << line;
        }
    }
}

// What front ends give as a float looks as it always did, though the problem keeps a double.
TEST(describe, an_epsilon_that_is_no_float) {
    problem p = make_problem(INFERENCE, {2, 8});
    for (const auto &[epsilon, text] :
         {std::pair(double(1e-5f), "1e-05"), std::pair(1e-5, "1e-05:f64"), std::pair(0.25, "0.25"),
          std::pair(double(0.0625f), "0.0625"), std::pair(1e-300, "1e-300:f64")}) {
        p.epsilon = epsilon;
        EXPECT_EQ(describe(p), std::string("--dir=FWD_I --dt=f32:f32 --tag=ab:ab --stat_tag=a --eps=") + text + " 2x8");
    }
}

TEST(describe, groups_of_rows) {
    problem p = make_problem(TRAINING, {2, 3, 8});
    p.flags = USE_SCALE;
    p[SCALE] = dense({2, 1, 8});
    p[RESIDUAL] = dense({2, 3, 8});
    p[GATE] = dense({1, 3, 8}, BF16);
    EXPECT_NE(describe(p).find(" --attr-modulation=scale:1+gate:2:bf16 "), std::string::npos) << describe(p);
}

TEST(names, layouts) {
    const auto name = [](const char *layout, const std::vector<dim_t> &dims) {
        return layout_name(make_layout(layout, dims, F32));
    };
    EXPECT_EQ(name("1,3", {3, 5}), "ba");
    EXPECT_EQ(name("6,1", {3, 5}), "6x1");
    EXPECT_EQ(name("15,5,30,1", {2, 3, 4, 5}), "cabd") << "dense, but no tag has this order";
    EXPECT_EQ(name("BA16a32b", {20, 40}), "BA16a32b");
    memory_desc open = dense({20, 40});
    open.format_kind = jitnorm_format_kind_any;
    EXPECT_EQ(layout_name(open), "any");
    EXPECT_EQ(layout_name({}), "undef");
    EXPECT_EQ(layout_name(dense({2, 2, 2, 2, 2, 2})), "abcdef");
    const dim_t late[] = {RUNTIME_DIM, 768};
    EXPECT_EQ(join(late), "*x768");
}

TEST(names, of_enumerators_are_those_of_the_tables) {
#define ELTWISE(name, number) EXPECT_EQ(name_of(undefined<jitnorm_alg_kind_t>(number)), #name);
#include "../../tables/eltwise.inc"
#define BINARY(name, number) EXPECT_EQ(name_of(undefined<jitnorm_alg_kind_t>(number)), #name);
#include "../../tables/binary.inc"
#define DATA_TYPE(name, number, ...) EXPECT_EQ(name_of(undefined<jitnorm_data_type_t>(number)), #name);
#include "../../tables/data_types.inc"
    EXPECT_EQ(name_of(undefined<jitnorm_data_type_t>(77)), "undef");
    EXPECT_EQ(name_of(undefined<jitnorm_prop_kind_t>(1)), "undef");
    EXPECT_EQ(name_of(jitnorm_alg_kind_undef), "undef");
}

} // namespace
