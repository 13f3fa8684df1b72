// SPDX-License-Identifier: Apache-2.0
// Batch files: words, comments, joined lines.
#include "cli/batch_file.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "error.hpp"

namespace benchdnn_lite {
namespace {

namespace fs = std::filesystem;

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

TEST(batch_file, quotes_keep_spaces_within_a_line) {
    EXPECT_EQ(texts_of("2x3_n\"a name\" 4x5"), (texts{"2x3_n\"a name\"", "4x5"}));
    EXPECT_EQ(texts_of("2x3_n\"open here\n4x5"), (texts{"2x3_n\"open here", "4x5"}));
}

TEST(batch_file, a_comment_within_a_joined_list_is_left_out) {
    EXPECT_EQ(texts_of("--dt=f32, \\\n# bf16 later\nf16"), (texts{"--dt=f32,f16"}));
}

// A folder of its own as the working directory.
class nested_folders : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "benchdnn_lite_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        before_ = fs::current_path();
        fs::current_path(name);
    }
    void TearDown() override {
        const fs::path folder = fs::current_path();
        fs::current_path(before_);
        fs::remove_all(folder);
    }
    static void create(const fs::path &file) {
        if (file.has_parent_path()) fs::create_directories(file.parent_path());
        std::ofstream(file) << "2x3\n";
    }
    fs::path before_;
};

TEST_F(nested_folders, the_working_directory_comes_before_folders_named_earlier) {
    create("one/file");
    create("one/inner");
    create("two/inner");
    create("two/other");
    batch_folders folders;
    EXPECT_EQ(folders.find("two/other", "."), "./two/other");
    EXPECT_EQ(folders.find("one/file", "."), "./one/file");
    EXPECT_EQ(folders.find("inner", "one"), "two/inner")
        << "as benchdnn does: in the order in which folders were named";
    create("inner");
    EXPECT_EQ(folders.find("inner", "one"), "./inner");
}

TEST_F(nested_folders, the_including_file_s_folder_comes_next) {
    create("deep/er/file");
    batch_folders folders;
    EXPECT_THROW(folders.find("file", "."), input_error);
    EXPECT_EQ(folders.find("file", "deep/er"), "deep/er/file");
}

TEST(batch_file, a_missing_one_is_an_input_error) {
    EXPECT_THROW(batch_folders().find("no such file", "."), input_error);
    EXPECT_THROW(batch_folders().find(".", "."), input_error); // a folder
}

} // namespace
} // namespace benchdnn_lite
