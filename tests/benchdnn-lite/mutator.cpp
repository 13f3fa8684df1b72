// SPDX-License-Identifier: Apache-2.0
#include "mutator.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/knobs.hpp"
#include "text.hpp"

namespace benchdnn_lite {

namespace fs = std::filesystem;

namespace {

// clang-format off
constexpr const char *TOKENS[] = {
    ",", ":", "+", "=", "x", "n", "\"", "\\\n", "\n", " ", "#", "*", "-", "--", "0", "1", "e9", "-1", "nan", "inf",
    "1e-400", "0x10", "any", "undef", "abx", "aBx8b", "ABab", "99999999999999999999", "2147483648", "--dt=", "--tag=",
    "--flags=", "--reset", "--lnorm", "--attr-post-ops=", "--attr-residual=src1+dst1:", "--attr-scales=", "--match=[",
    "--impl=", "f32", "s8", "sum:", "relu:", "add:f32:", "%", "%time", "\xff", "\xc3\xa9", "_n\"a b\"", "7x33", "1x1"};
// clang-format on

} // namespace

std::vector<std::string> lnorm_lines(const std::string &folder) {
    std::vector<std::string> lines;
    for (const knob &k : knobs_of(driver::lnorm))
        if (k.name != "help" && k.name != "batch") lines.push_back(concat("--", k.name, "=", k.example, " 2x3"));
    std::vector<fs::path> files;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path &file : files) {
        std::ifstream input(file);
        for (std::string line; std::getline(input, line);)
            if (!line.empty()) lines.push_back(line);
    }
    return lines;
}

std::string mutator::next() {
    constexpr size_t MOST_LINES = 3, MOST_CHANGES = 6;
    std::string text;
    for (size_t lines = 1 + below(MOST_LINES); lines > 0; --lines) text += lines_[below(lines_.size())] + "\n";
    for (size_t changes = 1 + below(MOST_CHANGES); changes > 0; --changes) change(text);
    return text;
}

void mutator::change(std::string &text) {
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

} // namespace benchdnn_lite
