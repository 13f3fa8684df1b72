// SPDX-License-Identifier: Apache-2.0
// The verbose log and the environment it is steered by.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <thread>
#include <vector>

#include "base/environment.hpp"
#include "base/verbose.hpp"

using namespace jitnorm::impl;

namespace {

TEST(environment, integers) {
    EXPECT_EQ(integer_or("2", 42), 2);
    EXPECT_EQ(integer_or("-1", 42), -1);
    for (const char *text : {"", "x", "2x", " 2", "99999999999999", "1.5"}) EXPECT_EQ(integer_or(text, 42), 42) << text;
}

// Nothing looks at the environment a second time; other programs test the first time.
TEST(environment, is_read_once) {
    const environment &before = the_environment();
    const std::string implementation = before.implementation;
    setenv("JITNORM_IMPL", "another", 1);
    EXPECT_EQ(&the_environment(), &before);
    EXPECT_EQ(the_environment().implementation, implementation);
    unsetenv("JITNORM_IMPL");
}

TEST(environment, words_of_the_log) {
    for (const char *text : {"", "error", "warn", "?", "-1", "error,?"})
        EXPECT_EQ(verbose_level_of(text), VERBOSE_ERRORS) << text;
    for (const char *text : {"0", "none"}) EXPECT_EQ(verbose_level_of(text), VERBOSE_NOTHING) << text;
    for (const char *text : {"1", "profile_exec", "check", "none,profile_exec", "profile_exec,error"})
        EXPECT_EQ(verbose_level_of(text), 1) << text;
    for (const char *text : {"2", "3", "profile", "all", "dispatch", "profile_exec,profile_create", ",,all,"})
        EXPECT_EQ(verbose_level_of(text), 2) << text;
}

TEST(environment, words_that_the_log_does_not_know) {
    for (const char *text : {"", "none", "0", "1", "2", "7", "all", ",,all,", "profile_exec,error", "warn,check"})
        EXPECT_EQ(unknown_word_of_verbose(text), "") << text;
    EXPECT_EQ(unknown_word_of_verbose("?"), "?");
    EXPECT_EQ(unknown_word_of_verbose("-1"), "-1");
    EXPECT_EQ(unknown_word_of_verbose("all,filter=x,y"), "filter=x");
}

// Where a level is set, lines are on standard output.
class verbose_lines : public testing::Test {
protected:
    void SetUp() override { set_verbose_level(VERBOSE_ERRORS); }
};

TEST_F(verbose_lines, one_line_per_event) {
    testing::internal::CaptureStdout();
    log_line("refuse", "jit:avx2,because");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "jitnorm_verbose,v1,refuse,jit:avx2,because\n");
}

TEST_F(verbose_lines, an_event_cannot_make_another_line) {
    testing::internal::CaptureStdout();
    log_line("error", "a\nb\r\x1b[2J\x7f\x9b\xc3\xa4\\n ~");
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "jitnorm_verbose,v1,error,a\\x0ab\\x0d\\x1b[2J\\x7f\\x9b\\xc3\\xa4\\x5cn ~\n");
}

TEST_F(verbose_lines, a_long_line_is_cut) {
    testing::internal::CaptureStdout();
    log_line("error", std::string(10'000, '\n'));
    const std::string line = testing::internal::GetCapturedStdout();
    EXPECT_LE(line.size(), size_t(PIPE_BUF)) << "a pipe takes no more in one piece";
    EXPECT_GT(line.size(), size_t(PIPE_BUF) - 8);
    EXPECT_EQ(line.substr(line.size() - 8), "\\x0a...\n");
}

TEST_F(verbose_lines, of_several_threads_do_not_mix) {
    constexpr int THREADS = 4, LINES = 200;
    const std::string text(300, 'x'), line = "jitnorm_verbose,v1,event," + text;
    testing::internal::CaptureStdout();
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < THREADS; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < LINES; ++i) log_line("event", text);
            });
    }
    std::istringstream log(testing::internal::GetCapturedStdout());
    int lines = 0;
    for (std::string got; std::getline(log, got); ++lines) ASSERT_EQ(got, line);
    EXPECT_EQ(lines, THREADS * LINES);
}

} // namespace
