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

// The folders that may have the input files that come with the program: beside a program in its build folder, and where
// they are installed.
std::vector<fs::path> shipped_roots() {
    std::error_code ignored;
    const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    return {beside, beside / "../share/benchdnn-lite"};
}

std::vector<fs::path> shipped_folders() {
    std::vector<fs::path> folders;
    for (const fs::path &root : shipped_roots())
        for (const char *folder : {"inputs/lnorm", "inputs/graph", ""}) folders.push_back(root / folder);
    return folders;
}

// The sorted names of the files in `folder`, in the first root that has such files.
template <typename Iterator>
std::vector<std::string> files_in(const char *folder) {
    std::error_code ignored;
    std::vector<std::string> names;
    for (const fs::path &root : shipped_roots()) {
        for (const fs::directory_entry &entry : Iterator(root / folder, ignored))
            if (entry.is_regular_file(ignored)) names.push_back(fs::relative(entry.path(), root / folder).string());
        if (!names.empty()) break;
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool is_graph(const std::string &name) { return name.ends_with(".json"); }

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
        if (const fs::path file = candidate / name; fs::is_regular_file(file, ignored)) return file;
    throw input_error("no such file '", name, "'");
}

std::vector<std::string> shipped_batches() {
    std::vector<std::string> names = files_in<fs::directory_iterator>("inputs/lnorm");
    for (std::string &name : files_in<fs::directory_iterator>("inputs/graph")) names.push_back(std::move(name));
    std::erase_if(names, is_graph);
    return names;
}

std::vector<std::string> shipped_graphs() {
    std::vector<std::string> names = files_in<fs::recursive_directory_iterator>("inputs/graph");
    std::erase_if(names, [](const std::string &name) { return !is_graph(name); });
    return names;
}

} // namespace benchdnn_lite
