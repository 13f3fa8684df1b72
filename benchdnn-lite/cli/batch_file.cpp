// SPDX-License-Identifier: Apache-2.0
// Finds files of options, and splits them into words.
#include "batch_file.hpp"

#include <algorithm>

#include "../error.hpp"

namespace benchdnn_lite {

namespace fs = std::filesystem;

namespace {

// Whether a quote has begun and not ended.
bool is_open(const std::string &text) { return std::count(text.begin(), text.end(), '"') % 2 == 1; }

// Reads the next word and counts lines. False if there is no further word.
bool next_word(std::istream &input, word &result, int &line) {
    result.text.clear();
    for (int c = input.get(); input; c = input.get()) {
        const bool ends_line = c == '\r' || c == '\n';
        const bool space = ends_line || ((c == ' ' || c == '\t') && !is_open(result.text));
        if (space && !result.text.empty()) {
            input.unget();
            return true;
        }
        if (c == '\n') ++line;
        if (space) continue;
        if (c == '#' && result.text.empty()) {
            std::string comment;
            std::getline(input, comment);
            ++line;
            continue;
        }
        if (result.text.empty()) result.line = line;
        result.text += char(c);
    }
    return !result.text.empty();
}

// The folders of the input files that come with the program: beside a program in its build folder, and where they are
// installed.
std::vector<fs::path> shipped_folders() {
    std::error_code ignored;
    const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    std::vector<fs::path> folders;
    for (const fs::path &root : {beside, beside / "../share/benchdnn-lite"})
        for (const char *folder : {"inputs/lnorm", "inputs/graph", ""}) folders.push_back(root / folder);
    return folders;
}

} // namespace

std::vector<word> words_of(std::istream &input) {
    std::vector<word> words;
    bool joins = false;
    int line = 1;
    for (word next; next_word(input, next, line);) {
        const bool goes_on = next.text.back() == '\\';
        if (goes_on) next.text.pop_back();
        const bool starts_knob = next.text.starts_with("--");
        if (joins && !words.empty() && !starts_knob)
            words.back().text += next.text;
        else if (!next.text.empty())
            words.push_back(next);
        joins = goes_on;
    }
    return words;
}

fs::path batch_folders::find(const std::string &name, const fs::path &including_folder) {
    const fs::path parent = fs::path(name).parent_path(), folder = parent.empty() ? "." : parent;
    if (std::find(named_.begin(), named_.end(), folder) == named_.end()) named_.push_back(folder);
    return look_up(name, including_folder);
}

fs::path batch_folders::look_up(const std::string &name, const fs::path &including_folder) const {
    std::vector<fs::path> folders{"."};
    folders.insert(folders.end(), named_.begin(), named_.end());
    folders.push_back(including_folder);
    for (const fs::path &shipped : shipped_folders()) folders.push_back(shipped);
    std::error_code ignored;
    for (const fs::path &candidate : folders)
        if (const fs::path file = candidate / name; fs::exists(file, ignored) && !fs::is_directory(file, ignored))
            return file;
    std::string shipped;
    std::vector<std::string> known;
    for (const fs::path &folder : shipped_folders()) {
        if (!fs::is_directory(folder, ignored) || folder.filename() == "") continue;
        shipped += concat(shipped.empty() ? "; those of the program are in " : " ", folder.string());
        for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder, ignored))
            if (entry.is_regular_file(ignored)) known.push_back(entry.path().lexically_relative(folder).string());
    }
    throw input_error("no such file '", name, "'", closest_text(name, known, shipped));
}

} // namespace benchdnn_lite
