// SPDX-License-Identifier: Apache-2.0
// Batch files: words, comments, joined lines.
#include "cli/batch_file.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "error.hpp"

namespace benchdnn_lite {
namespace {

TEST(batch_file, words_comments_joined_lines_and_quotes) {
    const std::pair<const char *, std::vector<std::string>> cases[] = {
        {"--dt=f32  128x768\n\t2x3\r\n", {"--dt=f32", "128x768", "2x3"}},
        {"", {}},
        {" \n\n ", {}},
        {"# one\n2x3 # two 3x4\n#\n#5x6\n7x8", {"2x3", "7x8"}},
        {"2x3_n\"a#1\"", {"2x3_n\"a#1\""}},
        {"--dt=f32, \\\n   bf16 2x3", {"--dt=f32,bf16", "2x3"}},
        {"--dt=f32,\\\nbf16,\\\nf16", {"--dt=f32,bf16,f16"}},
        {"--dt=f32 \\\n--tag=ab 2x3", {"--dt=f32", "--tag=ab", "2x3"}},
        {"\\\n2x3 \\", {"2x3"}},
        {"--dt=f32, \\\n# bf16 later\nf16", {"--dt=f32,f16"}},
        {"2x3_n\"a name\" 4x5", {"2x3_n\"a name\"", "4x5"}},
        {"2x3_n\"open here\n4x5", {"2x3_n\"open here", "4x5"}},
    };
    for (const auto &[input, expected] : cases) {
        std::istringstream stream(input);
        std::vector<std::string> texts;
        for (const word &w : words_of(stream)) texts.push_back(w.text);
        EXPECT_EQ(texts, expected) << input;
    }
}

TEST(batch_file, words_know_their_line) {
    std::istringstream stream("2x3\n# comment\n\n4x5 6x7\n8x9");
    std::vector<int> lines;
    for (const word &w : words_of(stream)) lines.push_back(w.line);
    EXPECT_EQ(lines, (std::vector{1, 4, 4, 5}));
}

TEST(batch_file, a_missing_one_is_an_input_error) {
    EXPECT_THROW(batch_folders().find("no such file", "."), input_error);
    EXPECT_THROW(batch_folders().find(".", "."), input_error); // a folder
}

} // namespace
} // namespace benchdnn_lite
