// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors that are refused, with the status and the reason: what this interface decides, and for each of
// its arguments something that validate() finds wrong with it, of which tests/norm has every rule.
#include <cmath>
#include <functional>

#include "support/execution.hpp"
#include "support/undefined.hpp"

using namespace jitnorm::tests;

namespace {

constexpr auto UNIMPLEMENTED = jitnorm_unimplemented;
constexpr jitnorm_dim_t HUGE_NUMBER = jitnorm_dim_t(1) << 61;

// Descriptors and attributes that requests can be spoiled with.
struct parts {
    owned_md data = make_md({4, 3, 8}, jitnorm_f32), statistics = make_md({4, 3}, jitnorm_f32),
             wide = make_md({4, 3, 9}, jitnorm_f32), any = make_md({4, 3, 8}, jitnorm_f32, jitnorm_format_tag_any),
             any_rows = make_md({4, 3}, jitnorm_f32, jitnorm_format_tag_any),
             open = make_md({4, JITNORM_RUNTIME_DIM_VAL, 8}, jitnorm_f32), s32 = make_md({4, 3, 8}, jitnorm_s32),
             s8 = make_md({4, 3, 8}, jitnorm_s8), six = make_md({1, 1, 1, 1, 4, 8}, jitnorm_f32),
             vector = make_md({8}, jitnorm_f32), empty = make_md({}, jitnorm_data_type_undef),
             other_rows = make_md({4, 2}, jitnorm_f32), rows_and_one = make_md({4, 3, 1}, jitnorm_f32),
             bf16_rows = make_md({4, 3}, jitnorm_bf16), f64_rows = make_md({4, 3}, jitnorm_f64),
             repeated = make_md({4, 3, 8}, jitnorm_f32, dims{0, 8, 1}),
             // A broadcast source has few elements in memory; what follows it has all of them, and may not fit.
        huge = make_md({HUGE_NUMBER, 2}, jitnorm_s8, dims{0, 1}),
             any_huge = make_md({HUGE_NUMBER, 2}, jitnorm_f64, jitnorm_format_tag_any);
    owned_attr attr = make_attr(), dynamic = make_attr(), output = make_attr();
    owned_pd forward = forward_pd(jitnorm_forward_training, {4, 3, 8}),
             other_forward = forward_pd(jitnorm_forward_training, {4, 3, 9}),
             backward = backward_pd(jitnorm_backward, {4, 3, 8});

    const_jitnorm_primitive_attr_t with_binary(const owned_md &src1) const {
        append(attr, [&](jitnorm_post_ops_t post_ops) {
            EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_relu, 0, 0));
            return jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, src1);
        });
        return attr;
    }
    const_jitnorm_primitive_attr_t with_sum() const {
        append(attr,
               [](jitnorm_post_ops_t post_ops) { return jitnorm_post_ops_append_sum(post_ops, 1, 0, jitnorm_f32); });
        return attr;
    }
    const_jitnorm_primitive_attr_t with_output(const owned_md &md) const {
        EXPECT_OK(jitnorm_primitive_attr_set_pre_quantization_dst(output, md));
        return output;
    }
    const_jitnorm_primitive_attr_t with_dynamic_scales() const {
        EXPECT_OK(jitnorm_primitive_attr_set_scales_v3(dynamic, JITNORM_ARG_DST, 3, 0, nullptr, jitnorm_f32, 0,
                                                       jitnorm_quantization_mode_dynamic_amax));
        return dynamic;
    }
};

template <typename Request>
struct refusal {
    jitnorm_status_t status;
    const char *reason;
    std::function<void(Request &, const parts &)> spoil;
};

template <typename Request>
void expect_refusals(const parts &with, const Request &right, const std::vector<refusal<Request>> &refusals) {
    for (const refusal<Request> &r : refusals) {
        Request request = right;
        r.spoil(request, with);
        owned_pd pd;
        EXPECT_EQ(request.create(&pd), r.status) << r.reason;
        EXPECT_STREQ(jitnorm_get_last_error(), r.reason);
        EXPECT_TRUE(pd.is_empty());
    }
}

using fwd = forward_request;
using bwd = backward_request;

TEST(refusals, of_forward) {
    const parts with;
    expect_refusals<fwd>(
        with, {jitnorm_forward_training, with.data, with.data, with.statistics},
        {{INVALID, "prop_kind is backward; forward_training or forward_inference is expected",
          [](fwd &r, auto &) { r.prop_kind = jitnorm_backward; }},
         {INVALID, "prop_kind is unknown; forward_training or forward_inference is expected",
          [](fwd &r, auto &) { r.prop_kind = undefined<jitnorm_prop_kind_t>(65); }},
         {INVALID, "flags is 0x1001, of which jitnorm_normalization_flags_t does not have 0x1000",
          [](fwd &r, auto &) { r.flags = 0x1001; }},
         {INVALID, "epsilon is nan; it must be finite and not negative", [](fwd &r, auto &) { r.epsilon = NAN; }},
         {INVALID, "src has 0 dimensions; 2 to 5 are supported", [](fwd &r, auto &p) { r.src = p.empty; }},
         {INVALID, "src has 6 dimensions; 2 to 5 are supported", [](fwd &r, auto &p) { r.src = r.dst = p.six; }},
         {INVALID, "src has an undecided layout (format_tag_any); a tag or strides are expected",
          [](fwd &r, auto &p) { r.src = p.any; }},
         {UNIMPLEMENTED, "src is s32; forward supports f32, bf16, f16, f64, s8 and u8",
          [](fwd &r, auto &p) { r.src = p.s32; }},
         {UNIMPLEMENTED, "dst is s32; forward supports f32, bf16, f16, f64, s8, u8, f8_e5m2 and f8_e4m3 as dst",
          [](fwd &r, auto &p) { r.dst = p.s32; }},
         {INVALID, "dst is omitted, and no statistics are written",
          [](fwd &r, auto &p) { r.dst = p.empty, r.prop_kind = jitnorm_forward_inference; }},
         {INVALID, "dst is omitted, and flags has use_scale or use_shift",
          [](fwd &r, auto &p) { r.dst = p.empty, r.flags = jitnorm_use_shift; }},
         {INVALID, "dst is omitted, and attr has scales, post-ops or an output computed from dst",
          [](fwd &r, auto &p) { r.dst = p.empty, r.attr = p.with_sum(); }},
         {INVALID, "attr asks for dynamic scales of dst, which has no dimensions",
          [](fwd &r, auto &p) { r.dst = p.empty, r.attr = p.with_dynamic_scales(); }},
         {INVALID, "dimension 2 of dst is 9, that of src is 8 (4x3x9 and 4x3x8)",
          [](fwd &r, auto &p) { r.dst = p.wide; }},
         {INVALID, "dst has 2 dimensions (4x3), src has 3 (4x3x8)", [](fwd &r, auto &p) { r.dst = p.statistics; }},
         {INVALID, "dst is an output and has a stride of 0", [](fwd &r, auto &p) { r.dst = p.repeated; }},
         {INVALID, "dst has 2 dimensions (4x3), src has 3 (4x3x8)", [](fwd &r, auto &p) { r.dst = p.any_rows; }},
         {INVALID, "dimension 1 of dst is 3, that of src is * (4x3x8 and 4x*x8)",
          [](fwd &r, auto &p) { r.src = p.open, r.dst = p.any; }},
         {INVALID, "dst is too large to be addressed",
          [](fwd &r, auto &p) { r.src = p.huge, r.dst = p.any_huge, r.statistics = nullptr; }},
         {INVALID,
          "dimension 1 of statistics (mean and variance) is 2, that of src without its normalized dimensions is 3 (4x2 "
          "and 4x3)",
          [](fwd &r, auto &p) { r.statistics = p.other_rows; }},
         {INVALID,
          "statistics (mean and variance) has 3 dimensions (4x3x1), src without its normalized dimensions has 2 (4x3)",
          [](fwd &r, auto &p) { r.statistics = p.rows_and_one; }},
         {INVALID,
          "statistics (mean and variance) has 3 dimensions (4x3x8), src without its normalized dimensions has 2 (4x3)",
          [](fwd &r, auto &p) { r.statistics = p.any; }},
         {UNIMPLEMENTED, "statistics (mean and variance) are bf16; supported: f32",
          [](fwd &r, auto &p) { r.statistics = p.bf16_rows; }},
         {UNIMPLEMENTED, "statistics (mean and variance) are f64; supported: f32",
          [](fwd &r, auto &p) { r.statistics = p.f64_rows; }},
         {UNIMPLEMENTED, "the pre-quantization output is s32; supported: f32, bf16, f16 and f64",
          [](fwd &r, auto &p) { r.attr = p.with_output(p.s32); }},
         {UNIMPLEMENTED, "scale and shift are f64; supported: f32, bf16 and f16, and f64 if the data is f64",
          [](fwd &r, auto &) { r.flags = jitnorm_use_shift, r.scale_shift_type = jitnorm_f64; }},
         {INVALID, "post-op 1: dimension 2 of src1, broadcast, is 9, that of dst is 8 (4x3x9 and 4x3x8)",
          [](fwd &r, auto &p) { r.attr = p.with_binary(p.wide); }},
         {INVALID, "post-op 1: dimension 1 of src1, broadcast, is *, that of dst is 3 (4x*x8 and 4x3x8)",
          [](fwd &r, auto &p) { r.attr = p.with_binary(p.open); }}});
}

TEST(refusals, of_backward) {
    const parts with;
    expect_refusals<bwd>(
        with, {jitnorm_backward, with.data, with.data, with.data, with.statistics},
        {{INVALID, "prop_kind is forward_training; backward or backward_data is expected",
          [](bwd &r, auto &) { r.prop_kind = jitnorm_forward; }},
         {INVALID, "flags is 0x1001, of which jitnorm_normalization_flags_t does not have 0x1000",
          [](bwd &r, auto &) { r.flags = 0x1001; }},
         {INVALID, "epsilon is -1; it must be finite and not negative", [](bwd &r, auto &) { r.epsilon = -1; }},
         {INVALID, "src has an undecided layout (format_tag_any); a tag or strides are expected",
          [](bwd &r, auto &p) { r.src = p.any; }},
         {INVALID, "dimension 2 of diff_src is 9, that of src is 8 (4x3x9 and 4x3x8)",
          [](bwd &r, auto &p) { r.diff_src = p.wide; }},
         {INVALID, "dimension 2 of diff_dst is 9, that of src is 8 (4x3x9 and 4x3x8)",
          [](bwd &r, auto &p) { r.diff_dst = p.wide; }},
         {INVALID, "diff_dst has 2 dimensions (4x3), src has 3 (4x3x8)",
          [](bwd &r, auto &p) { r.diff_dst = p.any_rows; }},
         {INVALID,
          "dimension 1 of statistics (mean and variance) is 2, that of src without its normalized dimensions is 3 (4x2 "
          "and 4x3)",
          [](bwd &r, auto &p) { r.statistics = p.other_rows; }},
         {UNIMPLEMENTED, "diff_dst is s8; backward supports f32, bf16, f16 and f64",
          [](bwd &r, auto &p) { r.diff_dst = p.s8; }},
         {UNIMPLEMENTED,
          "gradients of scale and shift are f64; supported: f32, bf16 and f16, and f64 if the data is f64",
          [](bwd &r, auto &) { r.flags = jitnorm_use_scale, r.diff_scale_shift_type = jitnorm_f64; }},
         {UNIMPLEMENTED, "the pre-quantization output is an output of forward only",
          [](bwd &r, auto &p) { r.attr = p.with_output(p.s8); }},
         {UNIMPLEMENTED, "backward takes neither scales nor post-ops",
          [](bwd &r, auto &p) { r.attr = p.with_binary(p.data); }},
         {INVALID, "dimension 2 of hint_fwd_pd's src is 9, that of src_desc is 8 (4x3x9 and 4x3x8)",
          [](bwd &r, auto &p) { r.hint = p.other_forward; }},
         {INVALID, "hint_fwd_pd is for backward; it must be for forward",
          [](bwd &r, auto &p) { r.hint = p.backward; }}});
}

TEST(accepted, types_that_are_not_used) {
    parts p;
    forward_request f{jitnorm_forward_inference, p.data, p.data};
    f.scale_shift_type = jitnorm_data_type_undef; // no scale, no shift
    EXPECT_OK(status_of(f));
    backward_request b{jitnorm_backward_data, p.data, p.data, p.data};
    b.flags = jitnorm_use_scale;
    b.diff_scale_shift_type = jitnorm_data_type_undef; // no gradient of it
    EXPECT_OK(status_of(b));
}

TEST(accepted, hint_epsilon_zero_and_empty_statistics) {
    parts p;
    backward_request b{jitnorm_backward, p.data, p.data, p.data, p.empty};
    b.hint = p.forward;
    b.epsilon = 0.f;
    EXPECT_OK(status_of(b));
}

TEST(accepted, functions_without_types_take_f32) {
    parts p;
    owned_pd forward, backward;
    const unsigned flags = jitnorm_use_scale;
    ASSERT_OK(jitnorm_layer_normalization_forward_primitive_desc_create(
        &forward, cpu(), jitnorm_forward_training, p.data, p.data, p.statistics, 0.f, flags, nullptr));
    ASSERT_OK(jitnorm_layer_normalization_backward_primitive_desc_create(
        &backward, cpu(), jitnorm_backward, p.data, p.data, p.data, p.statistics, 0.f, flags, forward, nullptr));
    EXPECT_TRUE(
        jitnorm_memory_desc_equal(jitnorm_primitive_desc_query_md(forward, jitnorm_query_weights_md, 0), p.vector));
    EXPECT_TRUE(jitnorm_memory_desc_equal(jitnorm_primitive_desc_query_md(backward, jitnorm_query_diff_weights_md, 0),
                                          p.vector));
}

} // namespace
