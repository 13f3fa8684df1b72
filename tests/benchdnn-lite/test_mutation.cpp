// SPDX-License-Identifier: Apache-2.0
// The parser on mutations of the input files that come with the program: nothing makes it crash, and whatever it does
// not understand is one line on stderr and status 2.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/batch_file.hpp"
#include "cli/command_line.hpp"
#include "cli/knobs.hpp"
#include "cli/run.hpp"
#include "error.hpp"

namespace benchdnn_lite {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t SEED = 20;

// clang-format off
constexpr const char *TOKENS[] = {
    ",", ":", "+", "=", "x", "n", "\"", "\\\n", "\n", " ", "#", "*", "-", "--", "0", "1", "e9", "-1", "nan", "inf",
    "1e-400", "0x10", "any", "undef", "abx", "aBx8b", "ABab", "99999999999999999999", "2147483648", "--dt=", "--tag=",
    "--flags=", "--reset", "--lnorm", "--attr-post-ops=", "--attr-residual=src1+dst1:", "--attr-scales=", "--match=[",
    "--impl=", "f32", "s8", "sum:", "relu:", "add:f32:", "%", "%time", "\xff", "\xc3\xa9", "_n\"a b\"", "7x33", "1x1"};
// clang-format on

// Of the input files and the help's examples: what mutations begin with.
std::vector<std::string> lnorm_lines() {
    std::vector<std::string> lines;
    for (const knob &k : knobs_of(driver::lnorm))
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

// Texts made from the lines by changing a few of them a few times somewhere, the same ones for a seed.
class mutator {
public:
    explicit mutator(uint64_t seed) : numbers_(seed) {}

    std::string next() {
        constexpr size_t MOST_LINES = 3, MOST_CHANGES = 6;
        std::string text;
        for (size_t lines = 1 + below(MOST_LINES); lines > 0; --lines) text += lines_[below(lines_.size())] + "\n";
        for (size_t changes = 1 + below(MOST_CHANGES); changes > 0; --changes) change(text);
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

    std::mt19937_64 numbers_;
    const std::vector<std::string> lines_ = lnorm_lines();
};

// As a batch file has them, after --lnorm.
std::vector<std::string> arguments_in(std::string_view text) {
    std::vector<std::string> arguments{"--lnorm"};
    std::istringstream stream{std::string(text)};
    for (word &w : words_of(stream)) arguments.push_back(std::move(w.text));
    return arguments;
}

// ---------------------------------------------------------------- what the parser promises for whatever it is given

// A mistake's text: one line that says something.
std::string checked_message(const std::string &message) {
    const bool controls = std::any_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; });
    if (message.empty() || controls) throw std::logic_error("not one line: '" + message + "'");
    return message;
}

void check_line(const job &j) {
    try {
        const command again = parse_command_line(arguments_in(j.line()));
        if (again.jobs.size() == 1 && again.jobs[0].prb.line() == j.prb.line() &&
            again.jobs[0].options.mode == j.options.mode)
            return;
    } catch (const input_error &error) {
        throw std::logic_error("'" + j.line() + "' is a mistake: " + error.what());
    }
    throw std::logic_error("'" + j.line() + "' is another problem");
}

// Parses the arguments. Returns the message, one line, if they are a mistake; otherwise checks that the lines of the
// problems make these problems again, and returns "". Throws logic_error if not, and all exceptions of the parser
// except input_error.
std::string mistake_in_hostile(const std::vector<std::string> &arguments) {
    constexpr size_t ENOUGH = 8; // problems, of the many that lists may make
    command c;
    try {
        c = parse_command_line(arguments);
    } catch (const input_error &error) {
        return checked_message(error.what());
    }
    for (size_t i = 0; i < std::min(c.jobs.size(), ENOUGH); ++i) check_line(c.jobs[i]);
    if (!c.jobs.empty()) check_line(c.jobs[c.jobs.size() - 1]);
    return "";
}

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
