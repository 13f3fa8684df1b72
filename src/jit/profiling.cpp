// SPDX-License-Identifier: Apache-2.0
#include "profiling.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include <unistd.h>

#include "../core/environment.hpp"

namespace jitnorm::impl::jit {

namespace {

using file = std::unique_ptr<FILE, int (*)(FILE *)>;

file open_file(const std::string &path, const char *mode) { return {std::fopen(path.c_str(), mode), &std::fclose}; }

void append_to_perf_map(const void *begin, size_t size, const char *name) {
    if (const file map = open_file("/tmp/perf-" + std::to_string(getpid()) + ".map", "a"))
        std::fprintf(map.get(), "%zx %zx %s\n", size_t(reinterpret_cast<uintptr_t>(begin)), size, name);
}

void dump(const std::string &folder, const void *begin, size_t size, const char *name) {
    if (const file out = open_file(folder + "/" + name + ".bin", "wb")) std::fwrite(begin, 1, size, out.get());
}

} // namespace

void register_code(const void *begin, size_t size, const char *name) {
    if (environment_integer("JITNORM_JIT_PROFILE", 0) != 0) append_to_perf_map(begin, size, name);
    const std::string_view folder = environment_text("JITNORM_JIT_DUMP");
    if (!folder.empty()) dump(std::string(folder), begin, size, name);
}

} // namespace jitnorm::impl::jit
