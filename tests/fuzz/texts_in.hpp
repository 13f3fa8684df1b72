// SPDX-License-Identifier: Apache-2.0
// texts_in: the contents of the files of a folder, in the order of their names.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace jitnorm::fuzz {

inline std::vector<std::string> texts_in(const std::filesystem::path &folder) {
    std::map<std::string, std::string> by_name;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        by_name[entry.path()] = {std::istreambuf_iterator<char>(file), {}};
    }
    std::vector<std::string> texts;
    for (auto &[name, text] : by_name) texts.push_back(std::move(text));
    return texts;
}

} // namespace jitnorm::fuzz
