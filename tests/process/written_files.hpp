// SPDX-License-Identifier: Apache-2.0
// written_files: files that the library writes on request, each test's in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/stat.h>

#include "support/child.hpp"
#include "support/log.hpp"
#include "work.hpp"

namespace jitnorm::tests {

namespace fs = std::filesystem;

inline const std::string PRECIOUS = "precious\n";

inline std::string content_of(const fs::path &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

inline void put(const fs::path &path, const std::string &text) { std::ofstream(path) << text; }

inline struct stat status_of(const fs::path &path) {
    struct stat result = {};
    EXPECT_EQ(lstat(path.c_str(), &result), 0) << path;
    return result;
}

// Each test has a folder, generates every kernel anew, and leaves nothing set.
class written_files : public testing::Test {
protected:
    void SetUp() override {
        if (jitnorm_get_effective_cpu_isa() == jitnorm_cpu_isa_sse41) GTEST_SKIP() << "this machine generates no code";
        std::string name = "/tmp/jitnorm-files-XXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        put(victim(), PRECIOUS);
        EXPECT_EQ(jitnorm_set_primitive_cache_capacity(0), jitnorm_success);
    }
    void TearDown() override {
        EXPECT_EQ(jitnorm_set_verbose(0), jitnorm_success);
        EXPECT_EQ(jitnorm_set_jit_dump(0), jitnorm_success);
        EXPECT_EQ(jitnorm_set_jit_dump_folder(nullptr), jitnorm_success);
        EXPECT_EQ(jitnorm_set_jit_profiling_flags(JITNORM_JIT_PROFILE_NONE), jitnorm_success);
        EXPECT_EQ(jitnorm_set_primitive_cache_capacity(1024), jitnorm_success);
        fs::remove(perf_map());
        if (!folder_.empty()) fs::remove_all(folder_);
    }

    static fs::path perf_map() { return "/tmp/perf-" + std::to_string(getpid()) + ".map"; }
    fs::path folder() const { return folder_; }
    fs::path victim() const { return folder_ / "victim"; }
    fs::path dumps() const { return folder_ / "dumps"; }

    static void profile() {
        ASSERT_EQ(jitnorm_set_jit_profiling_flags(JITNORM_JIT_PROFILE_LINUX_PERFMAP), jitnorm_success);
    }
    static void dump_into(const fs::path &where) {
        ASSERT_EQ(jitnorm_set_jit_dump_folder(where.c_str()), jitnorm_success);
        ASSERT_EQ(jitnorm_set_jit_dump(1), jitnorm_success);
    }

    // Generates kernels and executes them.
    static void generate() { work(jitnorm_f32, jitnorm_use_scale, 3, 33).run(); }
    static std::string log_of_generating() { return log_of(1, generate); }

    // Kernels are generated all the same; the log says that `file` cannot be written, and the victim is untouched.
    void expect_refusal_to_write(const std::string &file) const {
        EXPECT_NE(log_of_generating().find("error,cannot write " + file), std::string::npos) << file;
        EXPECT_EQ(content_of(victim()), PRECIOUS);
    }

    std::vector<fs::path> dumped() const {
        std::vector<fs::path> result;
        for (const auto &entry : fs::directory_iterator(dumps())) result.push_back(entry.path());
        return result;
    }

private:
    fs::path folder_;
};

} // namespace jitnorm::tests
