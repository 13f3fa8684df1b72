// SPDX-License-Identifier: Apache-2.0
// Other descriptions of the same elements, or of a part of them: each element stays where it is.
#include <array>
#include <functional>
#include <numeric>

#include "support/execution.hpp"
#include "tensor/memory_desc.hpp"

using namespace jitnorm::tests;

namespace {

// Calls body(position) for each element, in row-major order.
void for_each_position(const dims &sizes, const std::function<void(const dims &)> &body) {
    dims at(sizes.size(), 0);
    const auto count = std::accumulate(sizes.begin(), sizes.end(), jitnorm_dim_t(1), std::multiplies<>());
    for (jitnorm_dim_t i = 0; i < count; ++i) {
        body(at);
        for (size_t d = at.size(); d-- > 0 && ++at[d] == sizes[d];) at[d] = 0;
    }
}

// Where the elements are, in row-major order.
std::vector<jitnorm_dim_t> places_of(const_jitnorm_memory_desc_t md) {
    std::vector<jitnorm_dim_t> places;
    for_each_position(dims_of(md, jitnorm_query_dims),
                      [&](const dims &at) { places.push_back(jitnorm::impl::offset(*md, at.data())); });
    return places;
}

owned_md reshape(const owned_md &md, const dims &sizes, jitnorm_status_t expected = jitnorm_success) {
    owned_md result;
    EXPECT_EQ(jitnorm_memory_desc_reshape(&result, md, int(sizes.size()), sizes.data()), expected)
        << testing::PrintToString(sizes);
    return result;
}
void refuse_reshape(const owned_md &md, const dims &sizes) { reshape(md, sizes, INVALID); }

void expect_same_elements(const owned_md &md, const dims &sizes) {
    const owned_md other = reshape(md, sizes);
    ASSERT_FALSE(other.is_empty());
    EXPECT_EQ(dims_of(other, jitnorm_query_dims), sizes);
    EXPECT_EQ(places_of(other), places_of(md));
    EXPECT_EQ(jitnorm_memory_desc_get_size(other), jitnorm_memory_desc_get_size(md));
}

TEST(reshape, keeps_each_element) {
    expect_same_elements(make_md({4, 6}, jitnorm_f32), {24});
    expect_same_elements(make_md({4, 6}, jitnorm_f32), {2, 2, 3, 2});
    expect_same_elements(make_md({4, 6}, jitnorm_f32), {1, 4, 1, 6, 1});
    expect_same_elements(make_md({1, 4, 1, 6}, jitnorm_f32), {4, 6});
    expect_same_elements(make_md({4, 6, 5}, jitnorm_f32), {8, 15});
    expect_same_elements(make_md({4, 6}, jitnorm_f32, dims{10, 1}), {4, 2, 3}); // a gap stays between rows
    expect_same_elements(make_md({4, 6}, jitnorm_f32, dims{12, 2}), {24});      // evenly spaced
    expect_same_elements(make_md({4, 6, 2}, jitnorm_f32, jitnorm_acb), {4, 1, 6, 2});
    expect_same_elements(make_md({4, 6, 2}, jitnorm_f32, jitnorm_cab), {2, 12, 2});
    expect_same_elements(make_md({3, 20, 2}, jitnorm_f32, jitnorm_aBc8b), {3, 1, 20, 2});
    expect_same_elements(make_md({4, 20, 2}, jitnorm_f32, jitnorm_aBc8b), {2, 2, 20, 1, 2});
    expect_same_elements(make_md({4, 6}, jitnorm_f32, dims{0, 1}), {2, 2, 6}); // a broadcast one
}

TEST(reshape, of_what_has_no_layout) {
    const owned_md any = reshape(make_md({4, 6}, jitnorm_f32, jitnorm_format_tag_any), {24});
    EXPECT_TRUE(jitnorm_memory_desc_equal(any, make_md({24}, jitnorm_f32, jitnorm_format_tag_any)));
}

// A tensor without elements has a layout, too: memories of a part of it may be made later.
TEST(reshape, of_what_has_no_elements_keeps_strides) {
    const owned_md split = reshape(make_md({6, 0, 4}, jitnorm_f32, dims{90, 7, 3}), {2, 3, 0, 2, 2});
    EXPECT_EQ(dims_of(split, jitnorm_query_dims), (dims{2, 3, 0, 2, 2}));
    EXPECT_EQ(dims_of(split, jitnorm_query_strides), (dims{270, 90, 7, 6, 3}));
    const owned_md blocked = reshape(make_md({0, 20, 4}, jitnorm_f32, jitnorm_aBc8b), {0, 20, 2, 2});
    EXPECT_EQ(dims_of(blocked, jitnorm_query_inner_blks, jitnorm_query_inner_nblks_s32), dims{8});
    EXPECT_EQ(dims_of(blocked, jitnorm_query_padded_dims), (dims{0, 24, 2, 2}));
}

TEST(reshape, of_what_has_no_elements_is_checked) {
    const owned_md rows = make_md({2, 0, 6}, jitnorm_f32);
    for (const dims &wrong : {dims{3, 0, 4}, dims{2, 0, 7}, dims{0, 12}, dims{12, 0}, dims{12}, dims{2, 0, 6, 0},
                              dims{0}, dims{6, 0, 2}, dims{0, 0, 12}})
        refuse_reshape(rows, wrong);
    refuse_reshape(make_md({12}, jitnorm_f32), {12, 0});
    refuse_reshape(make_md({0, 4, 6}, jitnorm_f32, dims{60, 10, 1}), {0, 24}); // a gap
    refuse_reshape(make_md({0, 20}, jitnorm_f32, jitnorm_aB8b), {0, 2, 10});   // blocks
    refuse_reshape(make_md({0, 1}, jitnorm_f32, jitnorm_aB8b), {0});           // padding
    refuse_reshape(make_md({0, 6}, jitnorm_f32, dims{1, INT64_MAX / 2}), {0, 2, 3});
    reshape(make_md({0, 6}, jitnorm_f32, dims{1, INT64_MAX / 2}), {0, 1, 6});
    refuse_reshape(make_md({0, 2, 3}, jitnorm_f32, dims{1, 4, INT64_MAX / 2}), {0, 6});
}

TEST(reshape, refuses_what_no_strides_say) {
    refuse_reshape(make_md({4, 6}, jitnorm_f32), {25});
    refuse_reshape(make_md({4, 6}, jitnorm_f32), {-4, -6});
    refuse_reshape(make_md({4, 6}, jitnorm_f32), {});
    refuse_reshape(make_md({4, 6}, jitnorm_f32), dims(13, 1));
    refuse_reshape(make_md({4, 6}, jitnorm_f32, jitnorm_ba), {24});
    refuse_reshape(make_md({4, 6}, jitnorm_f32, dims{10, 1}), {24});
    refuse_reshape(make_md({4, 20}, jitnorm_f32, jitnorm_aB8b), {4, 2, 10});
    refuse_reshape(make_md({4, 1}, jitnorm_f32, jitnorm_aB8b), {4}); // padding
    refuse_reshape(make_md({JITNORM_RUNTIME_DIM_VAL, 6}, jitnorm_f32), {6});
    refuse_reshape(make_md({4, 6}, jitnorm_f32), {INT64_MAX, INT64_MAX});
}

TEST(permute, moves_dimensions_and_no_element) {
    for (const auto tag : {jitnorm_abc, jitnorm_cba, jitnorm_bac, jitnorm_aBc8b}) {
        const owned_md md = make_md({3, 20, 5}, jitnorm_f32, tag);
        const int permutation[] = {2, 0, 1};
        owned_md other;
        ASSERT_OK(jitnorm_memory_desc_permute_axes(&other, md, permutation));
        EXPECT_EQ(dims_of(other, jitnorm_query_dims), (dims{20, 5, 3}));
        for_each_position({3, 20, 5}, [&](const dims &at) {
            dims moved(3);
            for (size_t d = 0; d < 3; ++d) moved[size_t(permutation[d])] = at[d];
            ASSERT_EQ(jitnorm::impl::offset(*other, moved.data()), jitnorm::impl::offset(*md, at.data()));
        });
    }
    const int swapped[] = {1, 0};
    owned_md other;
    ASSERT_OK(jitnorm_memory_desc_permute_axes(&other, make_md({4, 6}, jitnorm_f32), swapped));
    EXPECT_TRUE(jitnorm_memory_desc_equal(other, make_md({6, 4}, jitnorm_f32, jitnorm_ba)));
}

TEST(permute, needs_a_permutation_and_known_sizes) {
    constexpr jitnorm_dim_t OPEN = JITNORM_RUNTIME_DIM_VAL;
    using axes = std::array<int, 2>;
    const owned_md md = make_md({4, 6}, jitnorm_f32), open = make_md({OPEN, 6}, jitnorm_f32),
                   open_strides = make_md({4, 6}, jitnorm_f32, dims{OPEN, 1});
    owned_md other;
    for (const auto &[of, wrong] : {std::pair(&md, axes{0, 0}),
                                    {&md, axes{0, 2}},
                                    {&md, axes{-1, 0}},
                                    {&open, axes{1, 0}},
                                    {&open_strides, axes{1, 0}}})
        EXPECT_EQ(jitnorm_memory_desc_permute_axes(&other, *of, wrong.data()), INVALID) << wrong[0] << wrong[1];
}

owned_md part(const owned_md &parent, const dims &sizes, const dims &offsets) {
    owned_md result;
    EXPECT_OK(jitnorm_memory_desc_create_submemory(&result, parent, sizes.data(), offsets.data()))
        << jitnorm_get_last_error();
    return result;
}

TEST(submemory, has_the_parents_elements) {
    const auto expect = [](const owned_md &parent, const dims &sizes, const dims &offsets) {
        const owned_md md = part(parent, sizes, offsets);
        ASSERT_FALSE(md.is_empty());
        for_each_position(sizes, [&](const dims &at) {
            dims there = at;
            for (size_t d = 0; d < at.size(); ++d) there[d] += offsets[d];
            ASSERT_EQ(jitnorm::impl::offset(*md, at.data()), jitnorm::impl::offset(*parent, there.data()));
        });
        EXPECT_LE(jitnorm_memory_desc_get_size(md), jitnorm_memory_desc_get_size(parent));
    };
    expect(make_md({4, 6}, jitnorm_f32), {2, 3}, {1, 2});
    expect(make_md({4, 6}, jitnorm_f32, jitnorm_ba), {4, 6}, {0, 0});
    expect(make_md({3, 20, 5}, jitnorm_f32, jitnorm_aBc8b), {2, 8, 4}, {1, 8, 1});
    expect(make_md({3, 20, 5}, jitnorm_f32, jitnorm_aBc8b), {3, 12, 5}, {0, 8, 0});
    expect(part(make_md({9, 9}, jitnorm_f32), {6, 6}, {1, 2}), {2, 2}, {3, 1});
}

TEST(submemory, has_the_padding_only_where_it_goes_to_the_end) {
    const owned_md parent = make_md({4, 20}, jitnorm_f32, jitnorm_aB8b);
    EXPECT_EQ(dims_of(part(parent, {4, 4}, {0, 16}), jitnorm_query_padded_dims), (dims{4, 8}));
    EXPECT_EQ(dims_of(part(parent, {4, 12}, {0, 8}), jitnorm_query_padded_dims), (dims{4, 16}));
    EXPECT_EQ(dims_of(part(parent, {4, 8}, {0, 8}), jitnorm_query_padded_dims), (dims{4, 8}));
}

TEST(submemory, must_be_within_the_parent) {
    const owned_md plain = make_md({4, 6}, jitnorm_f32), blocked = make_md({4, 20}, jitnorm_f32, jitnorm_aB8b);
    const owned_md any = make_md({4, 6}, jitnorm_f32, jitnorm_format_tag_any);
    const owned_md open = make_md({JITNORM_RUNTIME_DIM_VAL, 6}, jitnorm_f32);
    const auto status = [](const owned_md &parent, const dims &sizes, const dims &offsets) {
        owned_md result;
        return jitnorm_memory_desc_create_submemory(&result, parent, sizes.data(), offsets.data());
    };
    EXPECT_EQ(status(plain, {4, 6}, {1, 0}), INVALID);
    EXPECT_EQ(status(plain, {5, 6}, {0, 0}), INVALID);
    EXPECT_EQ(status(plain, {4, -1}, {0, 0}), INVALID);
    EXPECT_EQ(status(plain, {4, 1}, {0, -1}), INVALID);
    EXPECT_EQ(status(plain, {4, INT64_MAX}, {0, 1}), INVALID);
    EXPECT_EQ(status(plain, {4, 1}, {0, INT64_MAX}), INVALID);
    EXPECT_EQ(status(any, {1, 1}, {0, 0}), INVALID);
    EXPECT_EQ(status(open, {1, 1}, {0, 0}), INVALID);
    EXPECT_EQ(status(blocked, {4, 8}, {0, 4}), jitnorm_unimplemented) << "begins within a block";
    EXPECT_EQ(status(blocked, {4, 4}, {0, 0}), jitnorm_unimplemented) << "ends within a block";
}

} // namespace
