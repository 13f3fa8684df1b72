// SPDX-License-Identifier: Apache-2.0
// The layouts that undecided ones (jitnorm_format_tag_any) become.
#include "runtime_requests.hpp"

using namespace jitnorm::tests;

namespace {

struct undecided {
    const char *name;
    dims sizes;
    layout src, dst, statistics;
};

class undecided_layouts : public testing::TestWithParam<undecided> {};

// Of one source: what dst and the statistics become in forward, and the gradients in backward.
TEST_P(undecided_layouts, follows_the_source) {
    const auto &[name, sizes, src_layout, dst_layout, statistics_layout] = GetParam();
    const dims rows(sizes.begin(), sizes.end() - 1);
    const owned_md src = src_layout.of(sizes, jitnorm_f32), dst = dst_layout.of(sizes, jitnorm_bf16),
                   statistics = statistics_layout.of(rows, jitnorm_f32),
                   any = make_md(sizes, jitnorm_bf16, jitnorm_format_tag_any),
                   any_statistics = make_md(rows, jitnorm_f32, jitnorm_format_tag_any);
    for (const_jitnorm_memory_desc_t asked :
         {const_jitnorm_memory_desc_t(nullptr), const_jitnorm_memory_desc_t(any_statistics)}) {
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

const undecided UNDECIDED[] = {
    {"row_major", {2, 3, 8}, tag(jitnorm_abc), tag(jitnorm_abc), tag(jitnorm_ab)},
    {"rows_swapped", {2, 3, 8}, tag(jitnorm_bac), tag(jitnorm_bac), tag(jitnorm_ba)},
    {"columns_first", {2, 3, 8}, tag(jitnorm_cba), tag(jitnorm_cba), tag(jitnorm_ba)},
    {"gaps_are_closed", {2, 3, 8}, strides({16, 100, 2}), tag(jitnorm_bac), tag(jitnorm_ba)},
    {"broadcast_is_spread", {2, 3, 8}, strides({8, 0, 1}), tag(jitnorm_abc), tag(jitnorm_ab)},
    {"blocked_rows", {2, 20, 8}, tag(jitnorm_aBc16b), tag(jitnorm_aBc16b), tag(jitnorm_aB16b)},
    {"blocked_columns", {5, 20}, tag(jitnorm_aB16b), tag(jitnorm_aB16b), tag(jitnorm_a)},
    {"no_elements", {0, 3, 8}, tag(jitnorm_abc), tag(jitnorm_abc), tag(jitnorm_ab)},
};
INSTANTIATE_TEST_SUITE_P(all, undecided_layouts, testing::ValuesIn(UNDECIDED),
                         [](const auto &tested) { return tested.param.name; });

TEST(undecided_layouts, post_op_follows_the_destination) {
    const owned_md src = make_md({2, 3, 8}, jitnorm_f32, jitnorm_bac);
    const owned_md any = make_md({2, 3, 8}, jitnorm_f32, jitnorm_format_tag_any);
    const owned_attr attr = make_attr();
    append(attr, [&](auto post_ops) { return jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, any); });
    const owned_pd pd = forward_request{jitnorm_forward_inference, src, src}.make(0, attr);
    const auto *kept = queried(jitnorm_primitive_desc_get_attr, pd);
    const_jitnorm_memory_desc_t told = nullptr;
    EXPECT_OK(
        jitnorm_post_ops_get_params_binary(queried(jitnorm_primitive_attr_get_post_ops, kept), 0, nullptr, &told));
    EXPECT_TRUE(jitnorm_memory_desc_equal(told, src));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md_of(pd, JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0) | JITNORM_ARG_SRC_1), src));
}

} // namespace
