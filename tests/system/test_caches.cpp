// SPDX-License-Identifier: Apache-2.0
// What processors and systems answer about caches, as it was recorded, and the machine that follows from it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <utility>

#include <unistd.h>

#include "system/machine.hpp"

namespace jitnorm::impl {

// For messages.
static std::ostream &operator<<(std::ostream &out, const machine &m) { return out << describe(m); }

} // namespace jitnorm::impl

namespace {

using namespace jitnorm::impl;
namespace fs = std::filesystem;

constexpr dim_t KB = 1024, MB = 1024 * KB;

// ---------------------------------------------------------------- by CPUID

using recorded_leaves = std::map<std::pair<uint32_t, uint32_t>, cpuid_registers>;
const recorded_leaves *recorded = nullptr;

// Leaves that were not recorded do not exist, nor do subleaves, unless their leaf was.
bool recorded_cpuid(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer) {
    if (!recorded->contains({leaf, 0})) return false;
    const auto at = recorded->find({leaf, subleaf});
    answer = at == recorded->end() ? cpuid_registers{0, 0, 0, 0} : at->second;
    return true;
}

cache_facts by_cpuid(const recorded_leaves &leaves) {
    recorded = &leaves;
    return caches_by_cpuid(recorded_cpuid);
}

const recorded_leaves ZEN_3_IN_TWO_CORES = {{{0x8000'001D, 0}, {0x00000121, 0x01c0003f, 0x0000003f, 0}},
                                            {{0x8000'001D, 1}, {0x00000122, 0x01c0003f, 0x0000003f, 0}},
                                            {{0x8000'001D, 2}, {0x00000143, 0x01c0003f, 0x000003ff, 2}},
                                            {{0x8000'001D, 3}, {0x00004163, 0x03c0003f, 0x00007fff, 1}}};
const recorded_leaves ZEN_5_IN_TWO_CORES = {{{4, 0}, {0, 0, 0, 0}},
                                            {{0x8000'001D, 0}, {0x00000121, 0x02c0003f, 0x0000003f, 0}},
                                            {{0x8000'001D, 1}, {0x00000122, 0x01c0003f, 0x0000003f, 0}},
                                            {{0x8000'001D, 2}, {0x00000143, 0x03c0003f, 0x000003ff, 2}},
                                            {{0x8000'001D, 3}, {0x00004163, 0x03c0003f, 0x00007fff, 1}}};
const recorded_leaves SAPPHIRE_RAPIDS = {{{4, 0}, {0xfc004121, 0x02c0003f, 0x0000003f, 0}},
                                         {{4, 1}, {0xfc004122, 0x01c0003f, 0x0000003f, 0}},
                                         {{4, 2}, {0xfc004143, 0x03c0003f, 0x000007ff, 0}},
                                         {{4, 3}, {0xfc1fc163, 0x0380003f, 0x0001bfff, 4}}};
// A core for performance, and one of four that share a second level.
const recorded_leaves ALDER_LAKE_P = {{{4, 0}, {0xfc004121, 0x02c0003f, 0x0000003f, 0}},
                                      {{4, 1}, {0xfc004122, 0x01c0003f, 0x0000003f, 0}},
                                      {{4, 2}, {0xfc01c143, 0x0240003f, 0x000007ff, 0}},
                                      {{4, 3}, {0xfc1fc163, 0x0240003f, 0x00007fff, 4}}};
const recorded_leaves ALDER_LAKE_E = {{{4, 0}, {0xfc004121, 0x01c0003f, 0x0000003f, 0}},
                                      {{4, 1}, {0xfc004122, 0x01c0003f, 0x0000007f, 0}},
                                      {{4, 2}, {0xfc01c143, 0x03c0003f, 0x000007ff, 0}},
                                      {{4, 3}, {0xfc1fc163, 0x0240003f, 0x00009fff, 4}}};

TEST(caches, zen_3_by_cpuid) {
    const cache_facts facts = by_cpuid(ZEN_3_IN_TWO_CORES);
    ASSERT_EQ(facts.count, 1);
    EXPECT_EQ(facts.processors[0], (cache_levels{{{32 * KB, 1}, {512 * KB, 1}, {32 * MB, 2}}}));
    EXPECT_EQ(machine_of(facts), (machine{32 * KB, 512 * KB, 32 * MB}));
}

TEST(caches, zen_5_by_cpuid) { // whose leaf 4 is there and empty
    const cache_facts facts = by_cpuid(ZEN_5_IN_TWO_CORES);
    ASSERT_EQ(facts.count, 1);
    EXPECT_EQ(facts.processors[0], (cache_levels{{{48 * KB, 1}, {MB, 1}, {32 * MB, 2}}}));
    EXPECT_EQ(machine_of(facts), (machine{48 * KB, MB, 32 * MB}));
}

TEST(caches, sapphire_rapids_by_cpuid) {
    const cache_facts facts = by_cpuid(SAPPHIRE_RAPIDS);
    ASSERT_EQ(facts.count, 1);
    EXPECT_EQ(facts.processors[0], (cache_levels{{{48 * KB, 2}, {2 * MB, 2}, {105 * MB, 128}}}));
    EXPECT_EQ(machine_of(facts), (machine{48 * KB, 2 * MB, 64 * MB}));
}

// The numbering has room for eight in both clusters; a core for performance has its second level to itself, and less is
// concluded, which does no harm.
TEST(caches, a_hybrid_laptop_by_cpuid) {
    EXPECT_EQ(machine_of(by_cpuid(ALDER_LAKE_P)), (machine{48 * KB, 320 * KB, 20 * MB}));
    EXPECT_EQ(machine_of(by_cpuid(ALDER_LAKE_E)), (machine{32 * KB, 512 * KB, 25 * MB}));
}

TEST(caches, a_virtual_machine_without_leaf_4_by_cpuid) {
    EXPECT_EQ(by_cpuid({}).count, 0);
    EXPECT_EQ(by_cpuid({{{4, 0}, {0, 0, 0, 0}}, {{0x8000'001D, 0}, {0, 0, 0, 0}}}).count, 0);
    EXPECT_EQ(machine_of(by_cpuid({})), machine());
}

TEST(caches, leaves_of_nonsense) {
    const auto everywhere = [](uint32_t, uint32_t, cpuid_registers &answer) { // and no end
        answer = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
        return true;
    };
    EXPECT_EQ(machine_of(caches_by_cpuid(everywhere)), machine());
    const auto largest = [](uint32_t, uint32_t subleaf, cpuid_registers &answer) {
        answer = {(subleaf % 3 + 1) << 5 | 1, 0xffffffff, 0xffffffff, 0};
        return true;
    };
    EXPECT_EQ(machine_of(caches_by_cpuid(largest)), machine());
}

// ---------------------------------------------------------------- by files

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

// ---------------------------------------------------------------- nonsense from anywhere

machine machine_with(const cache_levels &levels) {
    cache_facts facts;
    facts.add(levels);
    return machine_of(facts);
}

TEST(caches, what_cannot_be_is_not_believed) {
    const machine safe;
    EXPECT_EQ(machine_with({}), safe);
    EXPECT_EQ(machine_with({{{1, 1}, {1, 1}, {1, 1}}}), safe);
    EXPECT_EQ(machine_with({{{-1, -1}, {-1, -1}, {-1, -1}}}), safe);
    // The second level larger than the last.
    EXPECT_EQ(machine_with({{{48 * KB, 1}, {64 * MB, 1}, {16 * MB, 1}}}), (machine{48 * KB, safe.l2, safe.last_level}));
    // No sharers, more of the first than of the second level, and too many.
    EXPECT_EQ(machine_with({{{48 * KB, 0}, {MB, 0}, {16 * MB, 0}}}), (machine{48 * KB, MB, 16 * MB}));
    EXPECT_EQ(machine_with({{{48 * KB, 64}, {MB, 2}, {16 * MB, 2}}}), (machine{48 * KB, MB, 16 * MB}));
    EXPECT_EQ(machine_with({{{48 * KB, 1}, {MB, 4096}, {16 * MB, 4096}}}), (machine{48 * KB, safe.l2, 16 * MB}));
    // No last level: it is not smaller than the second.
    EXPECT_EQ(machine_with({{{48 * KB, 1}, {MB, 1}, {}}}), (machine{48 * KB, MB, safe.last_level}));
    EXPECT_EQ(machine_with({{{48 * KB, 1}, {24 * MB, 1}, {}}}), (machine{48 * KB, 24 * MB, 24 * MB}));
    EXPECT_EQ(machine_with({{{}, {}, {16 * MB, 1}}}), (machine{safe.l1, safe.l2, 16 * MB}));
}

TEST(caches, what_glibc_says_of_zen_3_does_less_harm) {
    EXPECT_EQ(machine_with({{{32 * KB, 0}, {512 * KB, 0}, {256 * MB, 0}}}), (machine{32 * KB, 512 * KB, 64 * MB}));
}

// ---------------------------------------------------------------- this machine

TEST(caches, sources_of_this_machine_agree) {
    const cache_facts files = caches_by_files("/sys/devices/system/cpu"), leaves = caches_by_cpuid(execute_cpuid);
    if (files.count == 0 || leaves.count == 0) GTEST_SKIP() << "only one of two sources answers";
    bool agree = false; // with one of the kinds of processors
    for (int i = 0; i < files.count; ++i) {
        bool same = true;
        for (size_t level = 0; level < CACHE_LEVELS; ++level)
            same &= files.processors[size_t(i)][level].bytes == leaves.processors[0][level].bytes;
        agree |= same;
    }
    EXPECT_TRUE(agree);
}

TEST(caches, sysconf_answers_nothing_or_sizes) {
    const cache_facts facts = caches_by_sysconf();
    for (int i = 0; i < facts.count; ++i)
        for (const cache &c : facts.processors[size_t(i)]) EXPECT_GE(c.bytes, 0);
    EXPECT_LE(facts.count, 1);
}

} // namespace
