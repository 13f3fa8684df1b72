// SPDX-License-Identifier: Apache-2.0
// copies LIBRARY: a process with many copies of the library, each opened when threads run already, as plugins bring
// them: all find room for what they keep for each thread.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>

#include "jitnorm/jitnorm_aclnn.h"

namespace fs = std::filesystem;

namespace {

constexpr int COPIES = 8;

bool fails_and_tells(void *library, const std::string &reason) {
    const auto fail = reinterpret_cast<decltype(&jitnorm_acl_fail)>(dlsym(library, "jitnorm_acl_fail"));
    const auto told = reinterpret_cast<decltype(&jitnorm_acl_recent_error)>(dlsym(library, "jitnorm_acl_recent_error"));
    if (fail == nullptr || told == nullptr) return false;
    fail(7, "copy", reason.c_str());
    return "copy: 7: " + reason == told();
}

void *open_copy(const fs::path &original, const fs::path &copy) {
    fs::copy_file(original, copy);
    void *library = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    return library;
}

bool open_all(const fs::path &original, const fs::path &folder) {
    std::vector<void *> libraries;
    for (int i = 0; i < COPIES; ++i) {
        libraries.push_back(open_copy(original, folder / ("copy" + std::to_string(i) + ".so")));
        if (libraries.back() == nullptr) return false;
    }
    bool fine = true;
    const auto use_all = [&] {
        for (int i = 0; i < COPIES; ++i) fine = fails_and_tells(libraries[size_t(i)], std::to_string(i)) && fine;
    };
    use_all();
    std::thread(use_all).join();
    return fine;
}

} // namespace

int main(int, char **arguments) {
    std::string folder = fs::temp_directory_path() / "jitnorm-copies-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return 1;
    bool fine = false;
    std::thread([&] { fine = open_all(arguments[1], folder); }).join();
    fs::remove_all(folder);
    return fine ? 0 : 1;
}
