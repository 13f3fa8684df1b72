// SPDX-License-Identifier: Apache-2.0
// What systems say of caches in files, as it was recorded, and the machine that follows from it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include <unistd.h>

#include "cache_messages.hpp"

namespace {

using namespace jitnorm::impl;
namespace fs = std::filesystem;

constexpr dim_t KB = 1024, MB = 1024 * KB;

// A folder like /sys/devices/system/cpu.
class cache_files : public testing::Test {
protected:
    cache_files() { fs::create_directories(folder_); }
    ~cache_files() override { fs::remove_all(folder_); }

    void online(const std::string &list) const { write(folder_ / "online", list); }

    // A cache of a processor; the first of each must be index 0, as in the system.
    void cache(int processor, int index, int level, const std::string &type, const std::string &size,
               const std::string &sharers) const {
        const fs::path at = folder_ / ("cpu" + std::to_string(processor)) / "cache" / ("index" + std::to_string(index));
        fs::create_directories(at);
        write(at / "level", std::to_string(level));
        write(at / "type", type);
        write(at / "size", size);
        write(at / "shared_cpu_list", sharers);
    }

    // The usual four.
    struct levels {
        std::string first, of_core, second, of_second, third, of_third;
    };
    void processor(int p, const levels &l) const {
        cache(p, 0, 1, "Data", l.first, l.of_core);
        cache(p, 1, 1, "Instruction", "16K", l.of_core);
        cache(p, 2, 2, "Unified", l.second, l.of_second);
        if (!l.third.empty()) cache(p, 3, 3, "Unified", l.third, l.of_third);
    }

    cache_facts facts() const { return caches_by_files(folder_.c_str()); }

    static void write(const fs::path &file, const std::string &text) { std::ofstream(file) << text << "\n"; }

    const fs::path folder_ = testing::TempDir() + "cache_files_" + std::to_string(getpid());
};

TEST_F(cache_files, zen_5_two_cores_of_a_virtual_machine) { // where glibc says 384 MB
    online("0-1");
    processor(0, {"48K", "0", "1024K", "0", "32768K", "0-1"});
    processor(1, {"48K", "1", "1024K", "1", "32768K", "0-1"});
    ASSERT_EQ(facts().count, 2);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(facts().processors[size_t(i)], (cache_levels{{{48 * KB, 1}, {MB, 1}, {32 * MB, 2}}}));
    EXPECT_EQ(machine_of(facts()), (machine{48 * KB, MB, 32 * MB}));
}

TEST_F(cache_files, zen_3_eight_cores_with_two_threads_each) {
    online("0-15");
    for (int p = 0; p < 16; ++p) {
        const std::string core = std::to_string(p % 8) + "," + std::to_string(p % 8 + 8);
        processor(p, {"32K", core, "512K", core, "32768K", "0-15"});
    }
    EXPECT_EQ(facts().count, cache_facts::MOST);
    EXPECT_EQ(facts().processors[0], (cache_levels{{{32 * KB, 2}, {512 * KB, 2}, {32 * MB, 16}}}));
    EXPECT_EQ(machine_of(facts()), (machine{32 * KB, 512 * KB, 32 * MB})); // threads of one core are no cores
}

TEST_F(cache_files, sapphire_rapids_two_sockets) {
    online("0-223");
    for (int p = 0; p < 224; ++p) {
        if (p % 32 != 0 && p % 32 != 31) continue; // nobody asks these
        const std::string core = std::to_string(p % 112) + "," + std::to_string(p % 112 + 112);
        const std::string socket = p % 112 < 56 ? "0-55,112-167" : "56-111,168-223";
        processor(p, {"48K", core, "2048K", core, "107520K", socket});
    }
    EXPECT_EQ(facts().processors[0], (cache_levels{{{48 * KB, 2}, {2 * MB, 2}, {105 * MB, 112}}}));
    EXPECT_EQ(machine_of(facts()), (machine{48 * KB, 2 * MB, 64 * MB}));
}

TEST_F(cache_files, two_cores_of_a_last_level_of_260_MB) {
    online("0-1");
    for (const std::string p : {"0", "1"}) processor(std::stoi(p), {"48K", p, "2048K", p, "266240K", "0-1"});
    EXPECT_EQ(machine_of(facts()), (machine{48 * KB, 2 * MB, 64 * MB}));
}

// Cores for performance with two threads each and a second level of their own, then clusters of four with one of 2 MB.
void write_hybrid(const std::function<void(int, const std::string &, const std::string &, const std::string &,
                                           const std::string &)> &processor,
                  int performance, int efficient) {
    for (int p = 0; p < performance; ++p) {
        const std::string core = std::to_string(p / 2 * 2) + "-" + std::to_string(p / 2 * 2 + 1);
        processor(p, "48K", core, "1280K", core);
    }
    for (int p = performance; p < performance + efficient; ++p) {
        const int cluster = performance + (p - performance) / 4 * 4;
        processor(p, "32K", std::to_string(p), "2048K", std::to_string(cluster) + "-" + std::to_string(cluster + 3));
    }
}

TEST_F(cache_files, a_hybrid_laptop) {
    online("0-15");
    write_hybrid(
        [&](int p, const std::string &first, const std::string &core, const std::string &second,
            const std::string &cluster) {
            processor(p, {first, core, second, cluster, "12288K", "0-15"});
        },
        8, 8);
    EXPECT_EQ(facts().processors[0], (cache_levels{{{48 * KB, 2}, {1280 * KB, 2}, {12 * MB, 16}}}));
    EXPECT_EQ(facts().processors[size_t(cache_facts::MOST - 1)],
              (cache_levels{{{32 * KB, 1}, {2 * MB, 4}, {12 * MB, 16}}}));
    EXPECT_EQ(machine_of(facts()), (machine{32 * KB, 512 * KB, 12 * MB}));
}

TEST_F(cache_files, a_hybrid_laptop_with_two_cores_without_a_last_level) {
    online("0-21");
    write_hybrid(
        [&](int p, const std::string &first, const std::string &core, const std::string &second,
            const std::string &cluster) {
            processor(p, {first, core, second, cluster, "24576K", "0-19"});
        },
        12, 8);
    for (const int p : {20, 21}) processor(p, {"32K", std::to_string(p), "2048K", "20-21", "", ""});
    EXPECT_EQ(machine_of(facts()), (machine{32 * KB, 512 * KB, machine().last_level}));
}

TEST_F(cache_files, processors_that_are_offline_are_not_asked) {
    online("3,5");
    for (const int p : {0, 4}) processor(p, {"16K", "0", "256K", "0", "4096K", "0"});
    for (const int p : {3, 5}) processor(p, {"64K", "3", "1024K", "3", "16384K", "3,5"});
    EXPECT_EQ(facts().count, 2);
    EXPECT_EQ(machine_of(facts()), (machine{64 * KB, MB, 16 * MB}));
}

TEST_F(cache_files, a_virtual_machine_without_caches) {
    EXPECT_EQ(facts().count, 0);
    online("0-1");
    EXPECT_EQ(facts().count, 0);
    fs::create_directories(folder_ / "cpu0" / "cache");
    EXPECT_EQ(facts().count, 0);
    EXPECT_EQ(machine_of(facts()), machine());
    EXPECT_EQ(caches_by_files("/no/such/folder").count, 0);
    EXPECT_EQ(caches_by_files(std::string(5000, '/').c_str()).count, 0);
}

TEST_F(cache_files, texts_of_nonsense) {
    const std::string lists[] = {"-", "x", "0-", "1-0", "99999999999", "0-2147483647", "0-99999999", "-1"};
    for (const std::string &list : lists) {
        online(list);
        processor(0, {"32K", "0", "512K", "0", "32768K", "0"});
        EXPECT_EQ(facts().count, 0) << list;
    }
    online("0");
    for (const std::string &list : lists) {
        processor(0, {"32K", list, "512K", list, "32768K", list});
        EXPECT_EQ(machine_of(facts()), (machine{32 * KB, 512 * KB, 32 * MB})) << list;
    }
    for (const std::string size : {" ", "K", "-32K", "x", "99999999999K"}) {
        processor(0, {size, "0", size, "0", size, "0"});
        EXPECT_EQ(machine_of(facts()), machine()) << size;
    }
}

} // namespace
