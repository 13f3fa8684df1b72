// SPDX-License-Identifier: Apache-2.0
// Batch files: words, comments, joined lines.
#include "batch_file.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "error.hpp"

namespace benchdnn_lite {
namespace {

std::vector<std::string> texts_of(const std::string &input) {
    std::istringstream stream(input);
    std::vector<std::string> texts;
    for (const word &w : words_of(stream)) texts.push_back(w.text);
    return texts;
}

using texts = std::vector<std::string>;

TEST(batch_file, words_are_separated_by_white_space) {
    EXPECT_EQ(texts_of("--dt=f32  128x768\n\t2x3\r\n"), (texts{"--dt=f32", "128x768", "2x3"}));
    EXPECT_EQ(texts_of(""), texts{});
    EXPECT_EQ(texts_of(" \n\n "), texts{});
}

TEST(batch_file, comments_go_to_the_end_of_the_line) {
    EXPECT_EQ(texts_of("# one\n2x3 # two 3x4\n#\n#5x6\n7x8"), (texts{"2x3", "7x8"}));
    EXPECT_EQ(texts_of("2x3_n\"a#1\""), (texts{"2x3_n\"a#1\""}));
}

TEST(batch_file, a_backslash_joins_a_list_with_the_next_line) {
    EXPECT_EQ(texts_of("--dt=f32, \\\n   bf16 2x3"), (texts{"--dt=f32,bf16", "2x3"}));
    EXPECT_EQ(texts_of("--dt=f32,\\\nbf16,\\\nf16"), (texts{"--dt=f32,bf16,f16"}));
    EXPECT_EQ(texts_of("--dt=f32 \\\n--tag=ab 2x3"), (texts{"--dt=f32", "--tag=ab", "2x3"}));
    EXPECT_EQ(texts_of("\\\n2x3 \\"), (texts{"2x3"}));
}

TEST(batch_file, words_know_their_line) {
    std::istringstream stream("2x3\n# comment\n\n4x5 6x7\n8x9");
    const std::vector<word> words = words_of(stream);
    ASSERT_EQ(words.size(), 4u);
    EXPECT_EQ(words[0].line, 1);
    EXPECT_EQ(words[1].line, 4);
    EXPECT_EQ(words[2].line, 4);
    EXPECT_EQ(words[3].line, 5);
}

TEST(batch_file, a_missing_one_is_an_input_error) {
    EXPECT_THROW(find_batch_file("no such file", "."), input_error);
    EXPECT_THROW(find_batch_file(".", "."), input_error); // a folder
}

} // namespace
} // namespace benchdnn_lite
