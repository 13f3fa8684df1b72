// SPDX-License-Identifier: Apache-2.0
// The parser on mutations of the input files that come with the program: nothing makes it crash, and whatever it does
// not understand is one line on stderr and status 2.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "hostile_input.hpp"
#include "knobs.hpp"
#include "run.hpp"
#include "text.hpp"

namespace benchdnn_lite {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t SEED = 20;

// Lines of the shipped input files, and the help's examples.
std::vector<std::string> seeds() {
    std::vector<std::string> lines;
    for (const knob &k : knobs())
        if (k.name != "help" && k.name != "batch") lines.push_back(concat("--", k.name, "=", k.example, " 2x3"));
    std::vector<fs::path> files;
    for (const auto &entry : fs::recursive_directory_iterator(INPUTS))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path &file : files) {
        std::ifstream input(file);
        for (std::string line; std::getline(input, line);)
            if (!line.empty()) lines.push_back(line);
    }
    return lines;
}

class mutator {
public:
    explicit mutator(uint64_t seed) : numbers_(seed), seeds_(seeds()) {}

    // Some lines, a few times changed somewhere.
    std::string next() {
        std::string text;
        for (size_t lines = 1 + below(3); lines > 0; --lines) text += seeds_[below(seeds_.size())] + "\n";
        for (size_t changes = 1 + below(6); changes > 0; --changes) change(text);
        return text;
    }

private:
    size_t below(size_t end) { return end == 0 ? 0 : numbers_() % end; }

    void change(std::string &text) {
        const size_t at = below(text.size() + 1), length = below(std::min<size_t>(text.size() - at, 12) + 1);
        switch (below(6)) {
        case 0:
            text.erase(at, length);
            break;
        case 1:
            text.insert(at, std::string(1, char(below(256))));
            break;
        case 2:
            text.insert(at, TOKENS[below(std::size(TOKENS))]);
            break;
        case 3:
            text.replace(at, length, TOKENS[below(std::size(TOKENS))]);
            break;
        case 4:
            text.insert(at, text.substr(below(text.size() + 1), 20));
            break;
        default:
            if (at < text.size()) text[at] = char(text[at] ^ (1 << below(8)));
        }
    }

    static constexpr const char *TOKENS[] = {",",
                                             ":",
                                             "+",
                                             "=",
                                             "x",
                                             "n",
                                             "\"",
                                             "\\\n",
                                             "\n",
                                             " ",
                                             "#",
                                             "*",
                                             "-",
                                             "--",
                                             "0",
                                             "1",
                                             "e9",
                                             "-1",
                                             "nan",
                                             "inf",
                                             "1e-400",
                                             "0x10",
                                             "any",
                                             "undef",
                                             "abx",
                                             "aBx8b",
                                             "ABab",
                                             "99999999999999999999",
                                             "2147483648",
                                             "--dt=",
                                             "--tag=",
                                             "--flags=",
                                             "--reset",
                                             "--lnorm",
                                             "--attr-post-ops=",
                                             "--attr-scales=",
                                             "--match=[",
                                             "--impl=",
                                             "f32",
                                             "s8",
                                             "sum:",
                                             "relu:",
                                             "add:f32:",
                                             "%",
                                             "%time",
                                             "\xff",
                                             "\xc3\xa9",
                                             "_n\"a b\"",
                                             "7x33",
                                             "1x1"};

    std::mt19937_64 numbers_;
    const std::vector<std::string> seeds_;
};

int status_of(std::vector<std::string> arguments) {
    std::vector<char *> argv{arguments[0].data()};
    for (std::string &argument : arguments) argv.push_back(argument.data());
    return run_command_line(int(argv.size()), argv.data());
}

TEST(mutation, nothing_makes_the_parser_break_its_promises) {
    constexpr int MUTATIONS = 100'000;
    mutator source(SEED);
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
    mutator source(SEED + 1);
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
