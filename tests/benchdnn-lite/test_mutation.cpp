// SPDX-License-Identifier: Apache-2.0
// The parser on mutations of the input files that come with the program: nothing makes it crash, and whatever it does
// not understand is one line on stderr and status 2.
#include <gtest/gtest.h>

#include "cli/run.hpp"
#include "hostile_input.hpp"
#include "mutator.hpp"
#include "text.hpp"

namespace benchdnn_lite {
namespace {

constexpr uint64_t SEED = 20;

int status_of(std::vector<std::string> arguments) {
    std::vector<char *> argv{arguments[0].data()};
    for (std::string &argument : arguments) argv.push_back(argument.data());
    return run_command_line(int(argv.size()), argv.data());
}

TEST(mutation, nothing_makes_the_parser_break_its_promises) {
    constexpr int MUTATIONS = 100'000;
    const std::vector<std::string> lines = lnorm_lines(INPUTS);
    mutator source(SEED, lines);
    int parsed = 0, mistakes = 0;
    for (int i = 0; i < MUTATIONS; ++i) {
        const std::string text = source.next();
        try {
            ++(mistake_in_hostile(arguments_in(text)).empty() ? parsed : mistakes);
        } catch (const std::exception &error) {
            ADD_FAILURE() << error.what() << "\nmutation " << i << " of seed " << SEED << ":\n" << text;
        }
    }
    EXPECT_GT(parsed, MUTATIONS / 20) << "mutations that leave nothing to parse test little";
    EXPECT_GT(mistakes, MUTATIONS / 20);
}

TEST(mutation, a_mistake_is_one_line_on_stderr_and_status_2) {
    constexpr int MISTAKES = 500;
    const std::vector<std::string> lines = lnorm_lines(INPUTS);
    mutator source(SEED + 1, lines);
    for (int found = 0; found < MISTAKES;) {
        const std::string text = source.next();
        const std::vector<std::string> arguments = arguments_in(text);
        const std::string mistake = mistake_in_hostile(arguments);
        const bool fits_argv = text.find('\0') == text.npos;
        if (mistake.empty() || !fits_argv) continue; // what parses would run
        ++found;
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const int status = status_of(arguments);
        EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << text;
        EXPECT_EQ(testing::internal::GetCapturedStderr(), concat("benchdnn-lite: ", mistake, "\n")) << text;
        EXPECT_EQ(status, 2) << text;
    }
}

} // namespace
} // namespace benchdnn_lite
