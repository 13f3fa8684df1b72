// SPDX-License-Identifier: Apache-2.0
// Problems: shapes, flags, attributes, and the line that reproduces one.
#include "problem/problem.hpp"

#include <gtest/gtest.h>

#include "error.hpp"

namespace benchdnn_lite {
namespace {

template <typename Parse>
void refuses(Parse parse, std::initializer_list<const char *> texts) {
    for (const char *text : texts) EXPECT_THROW(parse(text), input_error) << text;
}

TEST(shape, plain_and_named) {
    EXPECT_EQ(parse_shape("128x768").dims, (std::vector<dim_t>{128, 768}));
    EXPECT_EQ(parse_shape("2x4x16").dims, (std::vector<dim_t>{2, 4, 16}));
    EXPECT_EQ(parse_shape("0x7").dims, (std::vector<dim_t>{0, 7}));
    for (const char *text : {"128x768_n\"bert*48\"", "128x768n\"bert*48\"", "128x768_nbert*48"}) {
        EXPECT_EQ(parse_shape(text).dims, (std::vector<dim_t>{128, 768})) << text;
        EXPECT_EQ(parse_shape(text).name, "bert*48") << text;
    }
}

TEST(shape, malformed_ones_are_rejected) {
    refuses(parse_shape, {"", "768", "x", "128x", "x768", "128x768x", "128xabc", "-1x768", "1.5x2", "128 768",
                          "128*768", "1x1x1x1x1x1x1x1x1x1x1x1x1", "128x768_n\"open", "99999999999999999999x2",
                          "9999999999x9999999999", "+3x4"});
}

TEST(flags, letters_in_any_order) {
    EXPECT_EQ(parse_flags(""), 0u);
    EXPECT_EQ(parse_flags("HG"), unsigned(jitnorm_use_shift) | unsigned(jitnorm_use_global_stats));
    EXPECT_EQ(flags_text(parse_flags("MHCG")), "GCHM");
    EXPECT_EQ(flags_text(parse_flags("PMC")), "CMP");
    refuses(parse_flags, {"S", "g"});
}

TEST(types, one_for_all_or_one_for_each) {
    EXPECT_EQ(parse_row_types("bf16"), (row_types{jitnorm_bf16, jitnorm_bf16, jitnorm_bf16}));
    EXPECT_EQ(parse_row_types("f32:s8"), (row_types{jitnorm_f32, jitnorm_s8, jitnorm_f32}));
    EXPECT_EQ(parse_row_types("f32:bf16:f16"), (row_types{jitnorm_f32, jitnorm_bf16, jitnorm_f16}));
    refuses(parse_row_types, {"", "f32:", ":f32", "f32:f32:f32:f32", "int8"});
    EXPECT_EQ(parse_weight_types("bf16"), (weight_types{jitnorm_bf16, jitnorm_bf16}));
    EXPECT_EQ(parse_weight_types("bf16:f32"), (weight_types{jitnorm_bf16, jitnorm_f32}));
    refuses(parse_weight_types, {"", "f64", "s8", "f32:f32:f32"});
}

TEST(tags, dst_follows_src_unless_named) {
    EXPECT_EQ(parse_row_tags("axb"), (row_tags{"axb", "any", ""}));
    EXPECT_EQ(parse_row_tags("axb:abx"), (row_tags{"axb", "abx", ""}));
    EXPECT_EQ(parse_row_tags("axb:abx:xba"), (row_tags{"axb", "abx", "xba"}));
    EXPECT_EQ(parse_row_tags("axb:undef"), (row_tags{"axb", "undef", ""}));
    refuses(parse_row_tags, {"undef", "undef:abx", "abx:abx:undef", "abx:abx:abx:abx"});
}

TEST(scales, one_or_both) {
    EXPECT_EQ(parse_scales(""), tensor_scales{});
    EXPECT_EQ(parse_scales("src:common:64+dst:common:0.5"), (tensor_scales{64, 0.5, {}}));
    EXPECT_EQ(to_text(parse_scales("dst:common:0.125")), "dst:common:0.125");
    refuses(parse_scales, {"src", "src:common", "src:common:x", "wei:common:1", "src:per_oc:1", "src:common:0", "+",
                           "src:common:1e50"});
}

TEST(pre_quantization, an_output) {
    EXPECT_EQ(parse_output("dst2", ""), std::nullopt);
    for (const char *text : {"dst2", "dst2:bf16", "dst2:f32:axb"})
        EXPECT_EQ(output_text("dst2", parse_output("dst2", text)), text);
    for (const char *text : {"dst1", "f32", "dst2:", "dst2:int", "dst2:f32:q", "dst2:f32:abx:x", "dst2+dst2"})
        EXPECT_THROW(parse_output("dst2", text), input_error) << text;
}

TEST(scales, found_by_the_library) {
    EXPECT_EQ(parse_scales("dst:per_row").found, dynamic_scales{});
    EXPECT_EQ(to_text(parse_scales("dst:per_row")), "dst:per_row:f32:dynamic_amax");
    EXPECT_EQ(to_text(parse_scales("src:common:2+dst:per_tensor:f32:1x128")),
              "src:common:2+dst:per_tensor:f32:1x128:dynamic_amax");
    for (const char *text : {"dst:per_row:f32:dynamic_amax", "dst:per_tensor:f32:1x7:dynamic_amax"})
        EXPECT_EQ(to_text(parse_scales(text)), text);
    refuses(parse_scales,
            {"src:per_row", "dst:per_row:f16", "dst:per_row:f32:dynamic_mx", "dst:per_tensor", "dst:per_tensor:f32",
             "dst:per_tensor:f32:2x4", "dst:per_tensor:f32:1x0", "dst:per_tensor:f32:1x", "dst:per_row:f32:1x4",
             "dst:per_row+dst:common:1", "dst:common:1+dst:per_row", "dst:per_row+dst:per_row"});
}

TEST(post_ops, read_and_written_back) {
    for (const char *text : {"", "sum", "sum:0.5", "sum:0.5:3", "sum:1:0:s8", "relu", "relu:0.5", "linear:0.5:-1",
                             "clip:0:6", "add:f32:common", "mul:bf16:per_oc", "add:f32:per_tensor:axb", "max:s8:5",
                             "sum+add:f32:per_oc+linear:0.5:-1"})
        EXPECT_EQ(to_text(parse_post_ops(text)), text);
    EXPECT_EQ(to_text(parse_post_ops("add:f32")), "add:f32:common");
}

TEST(post_ops, malformed_ones_are_rejected) {
    refuses(parse_post_ops,
            {"+", "sum+", "foo", "sum:x", "sum:1:0.5", "sum:1:0:f31", "sum:1:0:s8:1", "relu:1:2:3", "add", "add:f31",
             "add:f32:per_row", "add:f32:9999", "add:f32:common:q", "add:f32:common:axb:1"});
}

TEST(post_ops, a_mask_chooses_the_source_s_dimensions) {
    const auto dims = [](const char *text) {
        return std::get<binary_post_op>(parse_post_ops(text)[0]).source_dims({2, 3, 5});
    };
    EXPECT_EQ(dims("add:f32:common"), (std::vector<dim_t>{1, 1, 1}));
    EXPECT_EQ(dims("add:f32:per_oc"), (std::vector<dim_t>{1, 3, 1}));
    EXPECT_EQ(dims("add:f32:per_dim_2"), (std::vector<dim_t>{1, 1, 5}));
    EXPECT_EQ(dims("add:f32:5"), (std::vector<dim_t>{2, 1, 5}));
    EXPECT_EQ(dims("add:f32:per_tensor"), (std::vector<dim_t>{2, 3, 5}));
}

} // namespace
} // namespace benchdnn_lite
