// SPDX-License-Identifier: Apache-2.0
// batch_file: finds files of options, and splits them into words.
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace benchdnn_lite {

struct word {
    std::string text;
    int line = 0; // in which the word begins, from 1
};

// White space separates words, except between two quotes on one line. A word that starts with # begins a comment, which
// ends with the line. A backslash at the end of a word joins the next word to it, unless that starts with --, so that a
// long list may continue on the next line.
std::vector<word> words_of(std::istream &input);

// The folders in which files are searched. As in benchdnn, the first is the working directory; then come the folders of
// the files named before, in the order of their names. Two more follow: the folder of the including file, and the input
// files that come with the program.
class batch_folders {
public:
    // The path of the file `name`. find() also remembers the folder in `name` for later searches. Both throw
    // input_error if there is no such file.
    std::filesystem::path find(const std::string &name, const std::filesystem::path &including_folder);
    std::filesystem::path look_up(const std::string &name, const std::filesystem::path &including_folder) const;

private:
    std::vector<std::filesystem::path> named_;
};

} // namespace benchdnn_lite
