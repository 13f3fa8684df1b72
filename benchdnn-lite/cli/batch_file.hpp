// SPDX-License-Identifier: Apache-2.0
// batch_file: finding a file of options and cutting it into words.
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace benchdnn_lite {

struct word {
    std::string text;
    int line = 0;
};

// Words are separated by white space, but for that between two quotes of one line; a word that starts with # begins a
// comment to the end of the line; a backslash at the end of a word joins it with the next, so that a long list may go
// on in the next line.
std::vector<word> words_of(std::istream &input);

// Where files are looked for, as benchdnn does: in the working directory, in the folders of the files named before, in
// their order; then beside the including file and among the input files that come with the program.
class batch_folders {
public:
    // Both throw input_error when there is no such file. Only `find` remembers the folder that `name` has.
    std::filesystem::path find(const std::string &name, const std::filesystem::path &including_folder);
    std::filesystem::path look_up(const std::string &name, const std::filesystem::path &including_folder) const;

private:
    std::vector<std::filesystem::path> named_;
};

// Names of the input files that come with the program, in order: batches of both drivers, or graphs.
std::vector<std::string> shipped_batches();
std::vector<std::string> shipped_graphs();

} // namespace benchdnn_lite
