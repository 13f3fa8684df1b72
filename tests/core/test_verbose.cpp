// SPDX-License-Identifier: Apache-2.0
// The verbose log and the environment it is steered by.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <thread>
#include <vector>

#include "core/environment.hpp"
#include "core/verbose.hpp"

using namespace jitnorm::impl;

namespace {

TEST(Environment, TextAndIntegers) {
    const auto integer = [](const char *text) {
        setenv("JITNORM_TEST_VARIABLE", text, 1);
        return environment_integer("JITNORM_TEST_VARIABLE", 42);
    };
    unsetenv("JITNORM_TEST_VARIABLE");
    EXPECT_EQ(environment_text("JITNORM_TEST_VARIABLE"), "");
    EXPECT_EQ(environment_integer("JITNORM_TEST_VARIABLE", 42), 42);
    EXPECT_EQ(integer("2"), 2);
    EXPECT_EQ(integer("-1"), -1);
    for (const char *text : {"", "x", "2x", " 2", "99999999999999", "1.5"}) EXPECT_EQ(integer(text), 42) << text;
    EXPECT_EQ(environment_text("JITNORM_TEST_VARIABLE"), "1.5");
    unsetenv("JITNORM_TEST_VARIABLE");
}

TEST(Verbose, LevelIsWhatWasSet) {
    const int before = verbose_level();
    set_verbose_level(2);
    EXPECT_EQ(verbose_level(), 2);
    set_verbose_level(before);
}

TEST(Verbose, OneLinePerEvent) {
    testing::internal::CaptureStdout();
    log_line("refuse", "jit:avx2,because");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "jitnorm_verbose,v1,refuse,jit:avx2,because\n");
}

TEST(Verbose, LinesOfSeveralThreadsDoNotMix) {
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
