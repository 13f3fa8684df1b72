// SPDX-License-Identifier: Apache-2.0
// Names of layouts: the dimensions that they fit, and their strides.
#include "problem/tag.hpp"

#include <gtest/gtest.h>

#include "error.hpp"

namespace benchdnn_lite {
namespace {

struct expansion {
    const char *tag;
    size_t ndims;
    const char *canonical;
};

class known_tag : public testing::TestWithParam<expansion> {};

TEST_P(known_tag, becomes_canonical) {
    EXPECT_NO_THROW(check_tag_name(GetParam().tag, true));
    EXPECT_EQ(canonical_tag(GetParam().tag, GetParam().ndims), GetParam().canonical);
}

INSTANTIATE_TEST_SUITE_P(
    tags, known_tag,
    testing::Values(expansion{"abx", 1, "a"}, expansion{"abx", 2, "ab"}, expansion{"abx", 5, "abcde"},
                    expansion{"axb", 1, "a"}, expansion{"axb", 2, "ab"}, expansion{"axb", 3, "acb"},
                    expansion{"axb", 5, "acdeb"}, expansion{"xba", 1, "a"}, expansion{"xba", 2, "ba"},
                    expansion{"xba", 3, "cba"}, expansion{"xba", 4, "cdba"}, expansion{"xba", 5, "cdeba"},
                    expansion{"aBx8b", 2, "aB8b"}, expansion{"aBx8b", 4, "aBcd8b"},
                    expansion{"ABx16a16b", 3, "ABc16a16b"}, expansion{"tnc", 3, "abc"}, expansion{"ntc", 3, "bac"},
                    expansion{"nhwc", 4, "acdb"}, expansion{"x", 1, "a"}, expansion{"ldnc", 4, "abcd"},
                    expansion{"any", 3, "any"}, expansion{"undef", 2, "undef"}, expansion{"BA16a16b", 2, "BA16a16b"},
                    expansion{"badce", 5, "badce"}, expansion{"aby", 2, "ba"}, expansion{"aby", 4, "abdc"}));

TEST(tag, unknown_names_are_rejected) {
    for (const char *tag : {"",     "q",    "ac",    "aab",  "abC",           "ab8",
                            "8b",   "abx8", "zx",    "AB",   "abcdefghijklm", "a-b",
                            "aB1b", "aB8c", "aB8b8", "Ab8b", "aB8B",          "aB99999999999999999999b",
                            "xx",   "axx",  "xy"}) {
        EXPECT_THROW(check_tag_name(tag, true), input_error) << tag;
        EXPECT_THROW(check_tag_name(tag, false), input_error) << tag;
    }
    EXPECT_THROW(check_tag_name(std::string(1000, 'x'), false), input_error);
}

TEST(tag, blocks_beyond_the_library_s_names_are_taken_on_request) {
    for (const char *tag : {"aB7b", "Ab3a", "aBx5b", "BAc2b3a"}) {
        EXPECT_THROW(check_tag_name(tag, true), input_error) << tag;
        EXPECT_NO_THROW(check_tag_name(tag, false)) << tag;
    }
    for (const char *tag : {"aB8b", "aBx16b", "ABx16a16b", "badce", "tnc", "any"})
        EXPECT_NO_THROW(check_tag_name(tag, true));
}

TEST(tag, blocks_are_filled_up) {
    EXPECT_EQ(padded_dims("ab", {3, 5}), (std::vector<dim_t>{3, 5}));
    EXPECT_EQ(padded_dims("aB8b", {3, 5}), (std::vector<dim_t>{3, 8}));
    EXPECT_EQ(padded_dims("AB16b16a", {17, 0}), (std::vector<dim_t>{32, 0}));
    EXPECT_EQ(padded_dims("aBc4b2b", {1, 9, 3}), (std::vector<dim_t>{1, 16, 3}));
    EXPECT_EQ(padded_dims("any", {3, 5}), (std::vector<dim_t>{3, 5}));
}

TEST(tag, names_of_another_rank_are_rejected) {
    for (const auto &[tag, ndims] : {std::pair("abc", 2u), {"ab", 3u}, {"tnc", 4u}, {"aBc8b", 2u}, {"aBx8b", 1u}})
        EXPECT_THROW(canonical_tag(tag, ndims), input_error) << tag;
}

TEST(tag, enumerators_are_the_library_s) {
    EXPECT_EQ(enumerator_of("ab"), jitnorm_ab);
    EXPECT_EQ(enumerator_of("aBcde16b"), jitnorm_aBcde16b);
    EXPECT_EQ(enumerator_of("badce"), std::nullopt);
}

TEST(tag, strides_follow_the_letters) {
    EXPECT_EQ(strides_of("abc", {2, 3, 5}), (std::vector<dim_t>{15, 5, 1}));
    EXPECT_EQ(strides_of("cab", {2, 3, 5}), (std::vector<dim_t>{3, 1, 6}));
    EXPECT_EQ(strides_of("ba", {4, 7}), (std::vector<dim_t>{1, 4}));
    EXPECT_EQ(strides_of("ab", {3, 0}), (std::vector<dim_t>{1, 1}));
}

TEST(tag, a_stride_that_does_not_fit_is_the_largest) {
    constexpr dim_t LARGEST = std::numeric_limits<dim_t>::max();
    EXPECT_EQ(strides_of("abc", {2, dim_t(1) << 62, 4}), (std::vector<dim_t>{LARGEST, 4, 1}));
}

} // namespace
} // namespace benchdnn_lite
