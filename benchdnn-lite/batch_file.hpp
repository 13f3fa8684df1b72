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

// Words are separated by white space; a word that starts with # begins a comment to the end of the line; a backslash at
// the end of a word joins it with the next, so that a long list may go on in the next line.
std::vector<word> words_of(std::istream &input);

// Looks beside the including file, in the working directory and in the folders of input files that come with the
// program. Throws input_error when there is no such file.
std::filesystem::path find_batch_file(const std::filesystem::path &name, const std::filesystem::path &including_folder);

} // namespace benchdnn_lite
