// SPDX-License-Identifier: Apache-2.0
// Every way in which a primitive descriptor is refused, and with which status.
#include <cmath>
#include <functional>
#include <limits>

#include "rig/execution.hpp"

using namespace jitnorm::tests;

namespace {

constexpr auto INVALID = jitnorm_invalid_arguments;
constexpr auto UNIMPLEMENTED = jitnorm_unimplemented;

// Descriptors and attributes that requests can be spoiled with.
struct parts {
    owned_md data = make_md({4, 3, 8}, jitnorm_f32), statistics = make_md({4, 3}, jitnorm_f32);
    owned_md other_shape = make_md({4, 3, 9}, jitnorm_f32), other_rank = make_md({4, 3}, jitnorm_f32);
    owned_md wide_statistics = make_md({4, 3, 1}, jitnorm_f32), other_statistics = make_md({4, 2}, jitnorm_f32);
    owned_md bf16_statistics = make_md({4, 3}, jitnorm_bf16);
    owned_md any = make_md({4, 3, 8}, jitnorm_f32, jitnorm_format_tag_any);
    owned_md any_of_other_rank = make_md({4, 3}, jitnorm_f32, jitnorm_format_tag_any);
    owned_md runtime = make_md({4, JITNORM_RUNTIME_DIM_VAL, 8}, jitnorm_f32);
    owned_md broadcast = make_md({4, 3, 8}, jitnorm_f32, dims{0, 8, 1});
    owned_md broadcast_statistics = make_md({4, 3}, jitnorm_f32, dims{0, 1});
    owned_md s32 = make_md({4, 3, 8}, jitnorm_s32), s8 = make_md({4, 3, 8}, jitnorm_s8);
    owned_md empty = make_md({}, jitnorm_data_type_undef), vector = make_md({8}, jitnorm_f32);
    owned_md six = make_md({1, 1, 1, 1, 4, 8}, jitnorm_f32);
    owned_attr attr;
    owned_post_ops post_ops;
    owned_pd forward, other_forward, backward;

    parts() {
        EXPECT_OK(jitnorm_primitive_attr_create(&attr));
        EXPECT_OK(jitnorm_post_ops_create(&post_ops));
        EXPECT_OK((forward_request{jitnorm_forward_training, data, data}.create(&forward)));
        EXPECT_OK((forward_request{jitnorm_forward_training, other_shape, other_shape}.create(&other_forward)));
        EXPECT_OK((backward_request{jitnorm_backward, data, data, data}.create(&backward)));
    }

    void set_post_ops() { EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops)); }

    void append_eltwise(jitnorm_alg_kind_t alg) {
        EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, alg, 1.f, 0.f));
        set_post_ops();
    }
    void append_binary(const owned_md &src1) {
        EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, src1));
        set_post_ops();
    }
    void append_sum(int32_t zero_point, jitnorm_data_type_t type) {
        EXPECT_OK(jitnorm_post_ops_append_sum(post_ops, 1.f, zero_point, type));
        set_post_ops();
    }
};

template <typename Request>
struct refusal {
    const char *name;
    jitnorm_status_t expected;
    std::function<void(Request &, parts &)> spoil;
};

template <typename Request>
std::string name_of(const testing::TestParamInfo<refusal<Request>> &tested) {
    return tested.param.name;
}

template <typename Request>
void expect_refusal(Request request, parts &with, const refusal<Request> &expected) {
    expected.spoil(request, with);
    owned_pd pd;
    EXPECT_EQ(request.create(&pd), expected.expected);
    EXPECT_TRUE(pd.is_empty());
}

// ---------------------------------------------------------------- forward

using forward_refusal = refusal<forward_request>;
class forward_refusals : public testing::TestWithParam<forward_refusal> {};

TEST_P(forward_refusals, has_its_status) {
    parts with;
    expect_refusal({jitnorm_forward_training, with.data, with.data, with.statistics}, with, GetParam());
}

using fwd = forward_request;

INSTANTIATE_TEST_SUITE_P(
    arguments, forward_refusals,
    testing::Values(
        forward_refusal{"null_src", INVALID, [](fwd &r, parts &) { r.src = nullptr; }},
        forward_refusal{"null_dst", INVALID, [](fwd &r, parts &) { r.dst = nullptr; }},
        forward_refusal{"prop_kind_undef", INVALID, [](fwd &r, parts &) { r.prop_kind = jitnorm_prop_kind_undef; }},
        forward_refusal{"prop_kind_backward", INVALID, [](fwd &r, parts &) { r.prop_kind = jitnorm_backward; }},
        forward_refusal{"prop_kind_unknown", INVALID, [](fwd &r, parts &) { r.prop_kind = jitnorm_prop_kind_t(65); }},
        forward_refusal{"flag_8", INVALID, [](fwd &r, parts &) { r.flags = 0x8; }},
        forward_refusal{"flag_16", INVALID, [](fwd &r, parts &) { r.flags = 0x10 | jitnorm_use_scale; }},
        forward_refusal{"one_plus_no_scale", INVALID, [](fwd &r, parts &) { r.flags = jitnorm_scale_plus_one; }},
        forward_refusal{"flag_64", INVALID, [](fwd &r, parts &) { r.flags = 0x40; }},
        forward_refusal{"epsilon_negative", INVALID, [](fwd &r, parts &) { r.epsilon = -1e-5f; }},
        forward_refusal{"epsilon_nan", INVALID, [](fwd &r, parts &) { r.epsilon = NAN; }},
        forward_refusal{"epsilon_infinite", INVALID, [](fwd &r, parts &) { r.epsilon = INFINITY; }}),
    name_of<fwd>);

INSTANTIATE_TEST_SUITE_P(
    tensors, forward_refusals,
    testing::Values(
        forward_refusal{"src_empty", INVALID, [](fwd &r, parts &p) { r.src = p.empty; }},
        forward_refusal{"src_of_1_dim", INVALID, [](fwd &r, parts &p) { r.src = r.dst = p.vector; }},
        forward_refusal{"src_of_6_dims", INVALID, [](fwd &r, parts &p) { r.src = r.dst = p.six; }},
        forward_refusal{"src_undecided", INVALID, [](fwd &r, parts &p) { r.src = p.any; }},
        forward_refusal{"dst_empty", INVALID, [](fwd &r, parts &p) { r.dst = p.empty; }},
        forward_refusal{"dst_of_other_shape", INVALID, [](fwd &r, parts &p) { r.dst = p.other_shape; }},
        forward_refusal{"dst_of_other_rank", INVALID, [](fwd &r, parts &p) { r.dst = p.other_rank; }},
        forward_refusal{"dst_undecided_of_other_rank", INVALID, [](fwd &r, parts &p) { r.dst = p.any_of_other_rank; }},
        forward_refusal{"dst_broadcast", INVALID, [](fwd &r, parts &p) { r.dst = p.broadcast; }},
        forward_refusal{"src_runtime_statistics_not", INVALID,
                        [](fwd &r, parts &p) {
                            r.src = r.dst = p.runtime;
                            r.statistics = p.statistics;
                        }},
        forward_refusal{"dst_runtime", INVALID, [](fwd &r, parts &p) { r.dst = p.runtime; }},
        forward_refusal{"dst_undecided_src_runtime", INVALID,
                        [](fwd &r, parts &p) {
                            r.src = p.runtime;
                            r.dst = p.any;
                        }},
        forward_refusal{"statistics_of_other_shape", INVALID, [](fwd &r, parts &p) { r.statistics = p.other_statistics; }},
        forward_refusal{"statistics_with_last_dim", INVALID, [](fwd &r, parts &p) { r.statistics = p.wide_statistics; }},
        forward_refusal{"statistics_like_src", INVALID, [](fwd &r, parts &p) { r.statistics = p.data; }},
        forward_refusal{"statistics_undecided_like_src", INVALID, [](fwd &r, parts &p) { r.statistics = p.any; }},
        forward_refusal{"statistics_broadcast", INVALID, [](fwd &r, parts &p) { r.statistics = p.broadcast_statistics; }},
        forward_refusal{"statistics_bf16", UNIMPLEMENTED, [](fwd &r, parts &p) { r.statistics = p.bf16_statistics; }},
        forward_refusal{"src_s32", UNIMPLEMENTED, [](fwd &r, parts &p) { r.src = p.s32; }},
        forward_refusal{"dst_s32", UNIMPLEMENTED, [](fwd &r, parts &p) { r.dst = p.s32; }},
        forward_refusal{"scale_undef", INVALID,
                        [](fwd &r, parts &) {
                            r.flags = jitnorm_use_scale;
                            r.scale_shift_type = jitnorm_data_type_undef;
                        }},
        forward_refusal{"shift_f64", UNIMPLEMENTED,
                        [](fwd &r, parts &) {
                            r.flags = jitnorm_use_shift;
                            r.scale_shift_type = jitnorm_f64;
                        }}),
    name_of<fwd>);

INSTANTIATE_TEST_SUITE_P(attributes, forward_refusals,
                         testing::Values(forward_refusal{"binary_of_other_shape", INVALID,
                                                         [](fwd &r, parts &p) {
                                                             p.append_binary(p.other_shape);
                                                             r.attr = p.attr;
                                                         }},
                                         forward_refusal{"binary_of_other_rank", INVALID,
                                                         [](fwd &r, parts &p) {
                                                             p.append_binary(p.vector);
                                                             r.attr = p.attr;
                                                         }},
                                         forward_refusal{"binary_undecided_of_other_rank", INVALID,
                                                         [](fwd &r, parts &p) {
                                                             p.append_binary(p.any_of_other_rank);
                                                             r.attr = p.attr;
                                                         }},
                                         forward_refusal{"binary_runtime", INVALID,
                                                         [](fwd &r, parts &p) {
                                                             p.append_binary(p.runtime);
                                                             r.attr = p.attr;
                                                         }},
                                         forward_refusal{"sum_of_other_size", INVALID,
                                                         [](fwd &r, parts &p) {
                                                             p.append_sum(0, jitnorm_s8);
                                                             r.attr = p.attr;
                                                         }},
                                         forward_refusal{"sum_zero_point_f32", INVALID,
                                                         [](fwd &r, parts &p) {
                                                             p.append_sum(1, jitnorm_data_type_undef);
                                                             r.attr = p.attr;
                                                         }}),
                         name_of<fwd>);

// ---------------------------------------------------------------- backward

using backward_refusal = refusal<backward_request>;
class backward_refusals : public testing::TestWithParam<backward_refusal> {};

TEST_P(backward_refusals, has_its_status) {
    parts with;
    expect_refusal({jitnorm_backward, with.data, with.data, with.data, with.statistics}, with, GetParam());
}

using bwd = backward_request;

INSTANTIATE_TEST_SUITE_P(
    all, backward_refusals,
    testing::Values(
        backward_refusal{"null_src", INVALID, [](bwd &r, parts &) { r.src = nullptr; }},
        backward_refusal{"null_diff_src", INVALID, [](bwd &r, parts &) { r.diff_src = nullptr; }},
        backward_refusal{"null_diff_dst", INVALID, [](bwd &r, parts &) { r.diff_dst = nullptr; }},
        backward_refusal{"prop_kind_forward", INVALID, [](bwd &r, parts &) { r.prop_kind = jitnorm_forward; }},
        backward_refusal{"prop_kind_unknown", INVALID, [](bwd &r, parts &) { r.prop_kind = jitnorm_prop_kind_t(192); }},
        backward_refusal{"flag_unknown", INVALID, [](bwd &r, parts &) { r.flags = 0x100; }},
        backward_refusal{"src_undecided", INVALID, [](bwd &r, parts &p) { r.src = p.any; }},
        backward_refusal{"src_of_1_dim", INVALID, [](bwd &r, parts &p) { r.src = r.diff_src = r.diff_dst = p.vector; }},
        backward_refusal{"diff_src_of_other_shape", INVALID, [](bwd &r, parts &p) { r.diff_src = p.other_shape; }},
        backward_refusal{"diff_dst_of_other_shape", INVALID, [](bwd &r, parts &p) { r.diff_dst = p.other_shape; }},
        backward_refusal{"diff_dst_undecided_of_other_rank", INVALID,
                         [](bwd &r, parts &p) { r.diff_dst = p.any_of_other_rank; }},
        backward_refusal{"diff_src_broadcast", INVALID, [](bwd &r, parts &p) { r.diff_src = p.broadcast; }},
        backward_refusal{"statistics_of_other_shape", INVALID,
                         [](bwd &r, parts &p) { r.statistics = p.other_statistics; }},
        backward_refusal{"diff_dst_runtime", INVALID, [](bwd &r, parts &p) { r.diff_dst = p.runtime; }},
        backward_refusal{"src_s8", UNIMPLEMENTED, [](bwd &r, parts &p) { r.src = p.s8; }},
        backward_refusal{"diff_src_s8", UNIMPLEMENTED, [](bwd &r, parts &p) { r.diff_src = p.s8; }},
        backward_refusal{"diff_scale_f64", UNIMPLEMENTED,
                         [](bwd &r, parts &) {
                             r.flags = jitnorm_use_scale;
                             r.diff_scale_shift_type = jitnorm_f64;
                         }},
        backward_refusal{"diff_shift_undef", INVALID,
                         [](bwd &r, parts &) {
                             r.flags = jitnorm_use_shift;
                             r.diff_scale_shift_type = jitnorm_data_type_undef;
                         }},
        backward_refusal{"post_op", UNIMPLEMENTED,
                         [](bwd &r, parts &p) {
                             p.append_eltwise(jitnorm_eltwise_relu);
                             r.attr = p.attr;
                         }},
        backward_refusal{"scale", UNIMPLEMENTED,
                         [](bwd &r, parts &p) {
                             EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(p.attr, JITNORM_ARG_SRC, 0));
                             r.attr = p.attr;
                         }},
        backward_refusal{"hint_of_other_shape", INVALID, [](bwd &r, parts &p) { r.hint = p.other_forward; }},
        backward_refusal{"hint_backward", INVALID, [](bwd &r, parts &p) { r.hint = p.backward; }}),
    name_of<bwd>);

// ---------------------------------------------------------------- what only looks like an error

TEST(accepted, null_result_or_engine_is_not) {
    parts p;
    const forward_request forward{jitnorm_forward_training, p.data, p.data};
    const backward_request backward{jitnorm_backward, p.data, p.data, p.data};
    EXPECT_EQ(forward.create(nullptr), INVALID);
    EXPECT_EQ(backward.create(nullptr), INVALID);
    owned_pd pd;
    EXPECT_EQ(jitnorm_layer_normalization_forward_primitive_desc_create(&pd, nullptr, jitnorm_forward_training, p.data,
                                                                        p.data, nullptr, 0.f, 0, nullptr),
              INVALID);
    EXPECT_EQ(jitnorm_layer_normalization_backward_primitive_desc_create(&pd, nullptr, jitnorm_backward, p.data, p.data,
                                                                         p.data, nullptr, 0.f, 0, nullptr, nullptr),
              INVALID);
    EXPECT_TRUE(pd.is_empty());
}

TEST(accepted, types_that_are_not_used) {
    parts p;
    owned_pd forward, backward;
    forward_request f{jitnorm_forward_inference, p.data, p.data};
    f.scale_shift_type = jitnorm_data_type_undef; // no scale, no shift
    EXPECT_OK(f.create(&forward));
    backward_request b{jitnorm_backward_data, p.data, p.data, p.data};
    b.flags = jitnorm_use_scale;
    b.diff_scale_shift_type = jitnorm_data_type_undef; // no gradient of it
    EXPECT_OK(b.create(&backward));
}

TEST(accepted, hint_epsilon_zero_and_empty_statistics) {
    parts p;
    backward_request b{jitnorm_backward, p.data, p.data, p.data, p.empty};
    b.hint = p.forward;
    b.epsilon = 0.f;
    owned_pd pd;
    EXPECT_OK(b.create(&pd));
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

// A broadcast source has few elements in memory; a destination that follows it has all of them, and may not fit.
TEST(undecided_refusal, too_large_to_address) {
    const jitnorm_dim_t huge = jitnorm_dim_t(1) << 61;
    const owned_md src = make_md({huge, 2}, jitnorm_s8, dims{0, 1});
    const owned_md dst = make_md({huge, 2}, jitnorm_f64, jitnorm_format_tag_any);
    owned_pd pd;
    EXPECT_EQ((forward_request{jitnorm_forward_inference, src, dst}.create(&pd)), INVALID);
}

TEST(primitive_create, null_pointers) {
    parts p;
    owned_primitive primitive;
    EXPECT_EQ(jitnorm_primitive_create(nullptr, p.forward), INVALID);
    EXPECT_EQ(jitnorm_primitive_create(&primitive, nullptr), INVALID);
    EXPECT_TRUE(primitive.is_empty());
}

} // namespace
