// SPDX-License-Identifier: Apache-2.0
// How many processors the control groups of a container grant.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/environment.hpp"

namespace jitnorm::impl {
namespace {

TEST(quota, is_rounded_up_to_whole_processors) {
    EXPECT_EQ(processors_in("100000 100000\n"), 1);
    EXPECT_EQ(processors_in("100001 100000\n"), 2);
    EXPECT_EQ(processors_in("50000 100000\n"), 1);
    EXPECT_EQ(processors_in("800000 100000"), 8);
    EXPECT_EQ(processors_in("3000 1000\n"), 3);
}

TEST(quota, nonsense_grants_all) {
    for (const char *text : {"", "max 100000\n", "max", "100000", "100000 ", "100000 0", "0 100000", "-1 100000", "x",
                             " 1 1", "100000 max", "99999999999999999999 1", "9223372036854775807 1"})
        EXPECT_EQ(processors_in(text), NO_QUOTA) << text;
}

// A folder of control groups, and the file that names the process's own.
class groups {
public:
    groups() {
        char name[] = "/tmp/jitnorm_quota_XXXXXX";
        folder_ = mkdtemp(name);
    }
    groups(const groups &) = delete;
    groups &operator=(const groups &) = delete;
    ~groups() { std::filesystem::remove_all(folder_); }

    void set(const std::string &group, const std::string &cpu_max) {
        std::filesystem::create_directories(folder_ / ("root" + group));
        std::ofstream(folder_ / ("root" + group) / "cpu.max") << cpu_max;
    }

    int processors(const std::string &membership) {
        std::ofstream(folder_ / "cgroup") << membership;
        return processors_of_quota((folder_ / "cgroup").c_str(), (folder_ / "root").string());
    }

private:
    std::filesystem::path folder_;
};

TEST(quota, is_the_least_of_the_groups_up_to_the_root) {
    groups g;
    g.set("/a/b", "max 100000\n");
    g.set("/a", "300000 100000\n");
    g.set("/c", "500000 100000\n");
    EXPECT_EQ(g.processors("0::/a/b\n"), 3);
    EXPECT_EQ(g.processors("12:cpu:/x\n0::/a/b\n"), 3);
    EXPECT_EQ(g.processors("0::/c/d/e\n"), 5); // of groups without a file the one above counts
    EXPECT_EQ(g.processors("0::/\n"), NO_QUOTA);
    g.set("", "200000 100000\n"); // as a container sees it, whose own group is the root
    EXPECT_EQ(g.processors("0::/a/b\n"), 2);
    EXPECT_EQ(g.processors("0::/\n"), 2);
    EXPECT_EQ(g.processors("0::/../../elsewhere\n"), 2);
    EXPECT_EQ(g.processors("12:cpu:/x\n"), 2);
}

TEST(quota, without_files_there_is_none) {
    EXPECT_EQ(processors_of_quota("/nowhere/cgroup", "/nowhere"), NO_QUOTA);
    groups g;
    EXPECT_EQ(g.processors("0::/" + std::string(5000, 'a') + "\n"), NO_QUOTA);
}

} // namespace
} // namespace jitnorm::impl
