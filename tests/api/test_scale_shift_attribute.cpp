// SPDX-License-Identifier: Apache-2.0
// The attribute that gives scale and shift row dimensions: what is put in comes out, what descriptors say of it, what
// is refused.
#include "jitnorm/jitnorm.hpp"
#include "rig/execution.hpp"

using namespace jitnorm::tests;

namespace {

constexpr auto INVALID = jitnorm_invalid_arguments, UNSUPPORTED = jitnorm_unimplemented;
constexpr unsigned CH = jitnorm_use_scale | jitnorm_use_shift;

TEST(scale_shift_attribute, what_is_put_in_comes_out) {
    const owned_md scale = make_md({2, 1, 8}, jitnorm_f32), shift = make_md({1, 3, 8}, jitnorm_f32);
    const owned_attr attr = make_attr();
    const_jitnorm_memory_desc_t a = nullptr, b = nullptr;
    EXPECT_OK(jitnorm_primitive_attr_get_scale_shift_descs(attr, &a, &b));
    EXPECT_EQ(ndims_of(a) + ndims_of(b), 0);
    EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, shift));
    owned_attr copy;
    EXPECT_OK(jitnorm_primitive_attr_clone(&copy, attr));
    EXPECT_OK(jitnorm_primitive_attr_get_scale_shift_descs(copy, &a, &b));
    EXPECT_TRUE(jitnorm_memory_desc_equal(a, scale));
    EXPECT_TRUE(jitnorm_memory_desc_equal(b, shift));
    EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, nullptr, nullptr));
    EXPECT_OK(jitnorm_primitive_attr_get_scale_shift_descs(attr, &a, &b));
    EXPECT_EQ(ndims_of(a) + ndims_of(b), 0);
    EXPECT_EQ(jitnorm_primitive_attr_set_scale_shift_descs(nullptr, scale, shift), INVALID);
    EXPECT_EQ(jitnorm_primitive_attr_get_scale_shift_descs(attr, nullptr, &b), INVALID);
    EXPECT_EQ(jitnorm_primitive_attr_get_scale_shift_descs(attr, &a, nullptr), INVALID);
    EXPECT_EQ(jitnorm_primitive_attr_get_scale_shift_descs(nullptr, &a, &b), INVALID);
}

TEST(scale_shift_attribute, the_same_in_cpp) {
    using jitnorm::memory;
    const memory::desc md({2, 1, 8}, memory::data_type::f32, memory::format_tag::abc);
    jitnorm::primitive_attr attr;
    memory::desc scale, shift;
    attr.set_scale_shift_descs(md);
    attr.get_scale_shift_descs(scale, shift);
    EXPECT_EQ(scale, md);
    EXPECT_EQ(shift, memory::desc());
}

// Without the flags there is neither, but the attributes are those that the descriptor was made with.
TEST(scale_shift_attribute, is_kept_where_it_is_not_used) {
    const owned_md data = make_md({2, 3, 8}, jitnorm_f32), scale = make_md({2, 1, 8}, jitnorm_f32);
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, nullptr));
    const owned_pd pd = forward_request{jitnorm_forward_inference, data, data}.make(0, attr);
    const_jitnorm_primitive_attr_t kept = nullptr;
    const_jitnorm_memory_desc_t a = nullptr, b = nullptr;
    EXPECT_OK(jitnorm_primitive_desc_get_attr(pd, &kept));
    EXPECT_OK(jitnorm_primitive_attr_get_scale_shift_descs(kept, &a, &b));
    EXPECT_TRUE(jitnorm_memory_desc_equal(a, scale));
}

// Gradients have the dimensions of scale and shift, and descriptors tell them.
TEST(scale_shift_attribute, descriptors_of_a_primitive) {
    const owned_md data = make_md({2, 3, 8}, jitnorm_f32), scale = make_md({2, 1, 8}, jitnorm_f32, dims{48, 48, 1}),
                   dense = make_md({2, 1, 8}, jitnorm_f32),
                   any = make_md({2, 1, 8}, jitnorm_f32, jitnorm_format_tag_any);
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, any));
    const owned_pd pd =
        made(backward_request{.diff_src = data, .diff_dst = data, .src = data, .flags = CH, .attr = attr});
    const auto md = [&](int arg) { return jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, arg); };
    EXPECT_TRUE(jitnorm_memory_desc_equal(md(JITNORM_ARG_SCALE), scale));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md(JITNORM_ARG_DIFF_SCALE), dense));
    EXPECT_TRUE(jitnorm_memory_desc_equal(md(JITNORM_ARG_DIFF_SHIFT), dense));
    const_jitnorm_primitive_attr_t kept = nullptr;
    const_jitnorm_memory_desc_t a = nullptr, b = nullptr;
    EXPECT_OK(jitnorm_primitive_desc_get_attr(pd, &kept));
    EXPECT_OK(jitnorm_primitive_attr_get_scale_shift_descs(kept, &a, &b));
    EXPECT_TRUE(jitnorm_memory_desc_equal(b, dense));
}

TEST(scale_shift_attribute, what_is_refused) {
    const owned_md data = make_md({2, 3, 16}, jitnorm_f32), blocked = make_md({2, 3, 16}, jitnorm_f32, jitnorm_aBc8b);
    const auto attempt = [](const_jitnorm_memory_desc_t src, bool forward, const owned_md &scale,
                            const_jitnorm_memory_desc_t shift = nullptr) {
        const owned_attr attr = make_attr();
        EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, shift));
        owned_pd pd;
        return forward
                   ? forward_request{.src = src, .dst = src, .flags = CH, .attr = attr}.create(&pd)
                   : backward_request{.diff_src = src, .diff_dst = src, .src = src, .flags = CH, .attr = attr}.create(
                         &pd);
    };
    const owned_md batch = make_md({2, 1, 16}, jitnorm_f32), row = make_md({1, 3, 16}, jitnorm_f32);
    EXPECT_EQ(attempt(data, true, batch, row), jitnorm_success);
    EXPECT_EQ(attempt(data, true, make_md({3, 1, 16}, jitnorm_f32)), INVALID);
    EXPECT_EQ(attempt(data, true, make_md({2, 1, 1}, jitnorm_f32)), INVALID);
    EXPECT_EQ(attempt(data, true, make_md({2, 16}, jitnorm_f32)), INVALID);
    EXPECT_EQ(attempt(data, true, make_md({2, 1, 16}, jitnorm_bf16)), INVALID);
    EXPECT_EQ(attempt(data, true, make_md({2, 1, 16}, jitnorm_f32, dims{32, 32, 2})), UNSUPPORTED);
    EXPECT_EQ(attempt(blocked, true, batch), jitnorm_success);
    EXPECT_EQ(attempt(blocked, true, row), UNSUPPORTED); // padded and split
    EXPECT_EQ(attempt(data, false, batch, batch), jitnorm_success);
    EXPECT_EQ(attempt(data, false, batch), UNSUPPORTED);
    EXPECT_EQ(attempt(data, false, batch, row), UNSUPPORTED);
}

} // namespace
