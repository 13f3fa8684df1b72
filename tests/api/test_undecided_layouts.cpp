// SPDX-License-Identifier: Apache-2.0
// What an undecided layout (jitnorm_format_tag_any) becomes.
#include "rig/execution.hpp"

using namespace jitnorm::tests;

namespace {

struct undecided {
    const char *name;
    owned_md (*src)();
    owned_md (*dst)();
    owned_md (*statistics)();
};

class undecided_layouts : public testing::TestWithParam<undecided> {};

// Of one source: what dst and the statistics become in forward, and the gradients in backward.
TEST_P(undecided_layouts, follows_the_source) {
    const owned_md src = GetParam().src(), dst = GetParam().dst(), statistics = GetParam().statistics();
    const owned_md any = make_md(dims_of(src, jitnorm_query_dims), jitnorm_bf16, jitnorm_format_tag_any);
    const owned_md any_statistics =
        make_md(dims_of(statistics, jitnorm_query_dims), jitnorm_f32, jitnorm_format_tag_any);
    const_jitnorm_memory_desc_t no_statistics = nullptr;
    for (const_jitnorm_memory_desc_t asked :
         {no_statistics, static_cast<const_jitnorm_memory_desc_t>(any_statistics)}) {
        owned_pd forward, backward;
        ASSERT_OK((forward_request{jitnorm_forward_training, src, any, asked}.create(&forward)));
        ASSERT_OK((backward_request{jitnorm_backward, any, any, src, asked}.create(&backward)));
        const auto becomes = [](const owned_pd &pd, jitnorm_query_t what, int index, const owned_md &expected) {
            return jitnorm_memory_desc_equal(jitnorm_primitive_desc_query_md(pd, what, index), expected) == 1;
        };
        EXPECT_TRUE(becomes(forward, jitnorm_query_dst_md, 0, dst));
        EXPECT_TRUE(becomes(forward, jitnorm_query_dst_md, 1, statistics));
        EXPECT_TRUE(becomes(backward, jitnorm_query_diff_src_md, 0, dst));
        EXPECT_TRUE(becomes(backward, jitnorm_query_diff_dst_md, 0, dst));
        EXPECT_TRUE(becomes(backward, jitnorm_query_src_md, 2, statistics));
    }
}

INSTANTIATE_TEST_SUITE_P(all, undecided_layouts,
                         testing::Values(undecided{"row_major",
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_f32, jitnorm_abc);
                                                   },
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_bf16, jitnorm_abc);
                                                   },
                                                   [] {
                                                       return make_md({2, 3}, jitnorm_f32, jitnorm_ab);
                                                   }},
                                         undecided{"rows_swapped",
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_f32, jitnorm_bac);
                                                   },
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_bf16, jitnorm_bac);
                                                   },
                                                   [] {
                                                       return make_md({2, 3}, jitnorm_f32, jitnorm_ba);
                                                   }},
                                         undecided{"columns_first",
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_f32, jitnorm_cba);
                                                   },
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_bf16, jitnorm_cba);
                                                   },
                                                   [] {
                                                       return make_md({2, 3}, jitnorm_f32, jitnorm_ba);
                                                   }},
                                         undecided{"gaps_are_closed",
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_f32, dims{16, 100, 2});
                                                   },
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_bf16, jitnorm_bac);
                                                   },
                                                   [] {
                                                       return make_md({2, 3}, jitnorm_f32, jitnorm_ba);
                                                   }},
                                         undecided{"broadcast_is_spread",
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_f32, dims{8, 0, 1});
                                                   },
                                                   [] {
                                                       return make_md({2, 3, 8}, jitnorm_bf16, jitnorm_abc);
                                                   },
                                                   [] {
                                                       return make_md({2, 3}, jitnorm_f32, jitnorm_ab);
                                                   }},
                                         undecided{"blocked_rows",
                                                   [] {
                                                       return make_md({2, 20, 8}, jitnorm_f32, jitnorm_aBc16b);
                                                   },
                                                   [] {
                                                       return make_md({2, 20, 8}, jitnorm_bf16, jitnorm_aBc16b);
                                                   },
                                                   [] {
                                                       return make_md({2, 20}, jitnorm_f32, jitnorm_aB16b);
                                                   }},
                                         undecided{"blocked_columns",
                                                   [] {
                                                       return make_md({5, 20}, jitnorm_f32, jitnorm_aB16b);
                                                   },
                                                   [] {
                                                       return make_md({5, 20}, jitnorm_bf16, jitnorm_aB16b);
                                                   },
                                                   [] { return make_md({5}, jitnorm_f32, jitnorm_a); }},
                                         undecided{"no_elements",
                                                   [] {
                                                       return make_md({0, 3, 8}, jitnorm_f32, jitnorm_abc);
                                                   },
                                                   [] {
                                                       return make_md({0, 3, 8}, jitnorm_bf16, jitnorm_abc);
                                                   },
                                                   [] {
                                                       return make_md({0, 3}, jitnorm_f32, jitnorm_ab);
                                                   }}),
                         [](const auto &tested) { return tested.param.name; });

TEST(undecided_layouts, post_op_follows_the_destination) {
    const owned_md src = make_md({2, 3, 8}, jitnorm_f32, jitnorm_bac);
    const owned_md any = make_md({2, 3, 8}, jitnorm_f32, jitnorm_format_tag_any);
    owned_post_ops post_ops;
    owned_attr attr;
    ASSERT_OK(jitnorm_post_ops_create(&post_ops));
    ASSERT_OK(jitnorm_primitive_attr_create(&attr));
    EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, any));
    EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops));
    const owned_pd pd = forward_request{jitnorm_forward_inference, src, src}.make(0, attr);
    const int arg = JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0) | JITNORM_ARG_SRC_1;
    EXPECT_TRUE(jitnorm_memory_desc_equal(jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, arg), src));
}

} // namespace
