// SPDX-License-Identifier: Apache-2.0
// Recorded answers of processors about their caches, and the machine that follows from each.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "machine_messages.hpp"

namespace {

using namespace jitnorm::impl;

constexpr dim_t KB = 1024, MB = 1024 * KB;

using recorded_leaves = std::map<std::pair<uint32_t, uint32_t>, cpuid_registers>;
const recorded_leaves *recorded = nullptr;

// Leaves that were not recorded do not exist, nor do subleaves, unless their leaf was.
bool recorded_cpuid(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer) {
    if (!recorded->contains({leaf, 0})) return false;
    const auto at = recorded->find({leaf, subleaf});
    answer = at == recorded->end() ? cpuid_registers{0, 0, 0, 0} : at->second;
    return true;
}

cache_levels by_cpuid(const recorded_leaves &leaves) {
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

// Plans of these processors are measured; a number that changes has figures in docs/measurements.md.
constexpr machine ZEN_5 = {MB, 32 * MB, 50, 50, 1};
constexpr machine ZEN_4 = {MB, 32 * MB, 50, 100, 2};
constexpr machine ZEN_3 = {512 * KB, 32 * MB, 37, 50, 2};
constexpr machine BEFORE_ZEN_3 = {512 * KB, 16 * MB, 50, 100, 2};

TEST(caches, recorded) {
    const struct {
        const char *processor;
        const recorded_leaves &leaves;
        cache_levels levels;
        machine sizes;
    } rows[] = {
        {"Zen 3", ZEN_3_IN_TWO_CORES, {{{32 * KB, 1}, {512 * KB, 1}, {32 * MB, 2}}}, {512 * KB, 32 * MB}},
        {"Zen 5", ZEN_5_IN_TWO_CORES, {{{48 * KB, 1}, {MB, 1}, {32 * MB, 2}}}, {MB, 32 * MB}}, // leaf 4 is empty
        {"Sapphire Rapids", SAPPHIRE_RAPIDS, {{{48 * KB, 2}, {2 * MB, 2}, {105 * MB, 128}}}, {2 * MB, 64 * MB}}};
    for (const auto &[processor, leaves, levels, sizes] : rows) {
        EXPECT_EQ(by_cpuid(leaves), levels) << processor;
        EXPECT_EQ(machine_of(levels), sizes) << processor;
    }
    // The numbering has room for eight in both clusters; a core for performance has its second level to itself, and
    // less is concluded, which does no harm.
    EXPECT_EQ(machine_of(by_cpuid(ALDER_LAKE_P)), (machine{320 * KB, 20 * MB}));
    EXPECT_EQ(machine_of(by_cpuid(ALDER_LAKE_E)), (machine{512 * KB, 25 * MB}));
}

TEST(caches, a_virtual_machine_without_leaf_4_by_cpuid) {
    EXPECT_EQ(by_cpuid({}), NO_ANSWER);
    EXPECT_EQ(by_cpuid({{{4, 0}, {0, 0, 0, 0}}, {{0x8000'001D, 0}, {0, 0, 0, 0}}}), NO_ANSWER);
    EXPECT_EQ(machine_of(by_cpuid({})), machine());
}

// Seen on a Zen 5: leaf 4 and leaf 0x8000001D are empty; the older leaves have the first two levels of a core, and
// nonsense for the last level, which follows from the family.
TEST(caches, a_virtual_machine_with_only_old_leaves_by_cpuid) {
    constexpr cpuid_registers AMD = {0x10, 0x68747541, 0x444d4163, 0x69746e65};
    const auto leaves = [&](uint32_t version) {
        return recorded_leaves{{{0, 0}, AMD},
                               {{1, 0}, {version, 0, 0, 0}},
                               {{4, 0}, {0, 0, 0, 0}},
                               {{0x8000'001D, 0}, {0, 0, 0, 0}},
                               {{0x8000'0005, 0}, {0, 0, 0x300c0140, 0x20080140}},
                               {{0x8000'0006, 0}, {0, 0, 0x04006140, 0x03f8c140}}};
    };
    const recorded_leaves zen_5 = leaves(0x00b00f21), zen_2 = leaves(0x00830f10);
    EXPECT_EQ(by_cpuid(zen_5), (cache_levels{{{48 * KB, 1}, {MB, 1}, {32 * MB, 1}}}));
    EXPECT_EQ(machine_by_cpuid(recorded_cpuid), ZEN_5);
    EXPECT_EQ(by_cpuid(zen_2)[2].bytes, 16 * MB);
    recorded_leaves other = zen_5;
    other[{0, 0}] = {0x16, 0x756e6547, 0x6c65746e, 0x49656e69}; // Intel's have other meanings
    EXPECT_EQ(by_cpuid(other), NO_ANSWER);
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

// The vendor of the processor: "GenuineIntel", "AuthenticAMD", "HygonGenuine" in leaf 0; its family and model in
// leaf 1. Each has its row of the table, or the row of the family before it. The sizes are those of its caches.
TEST(caches, numbers_of_processors) {
    constexpr cpuid_registers INTEL = {0x16, 0x756e6547, 0x6c65746e, 0x49656e69},
                              AMD = {0x10, 0x68747541, 0x444d4163, 0x69746e65},
                              HYGON = {0x0d, 0x6f677948, 0x656e6975, 0x6e65476e};
    const auto is = [](const cpuid_registers &vendor, uint32_t version, machine row) {
        recorded_leaves leaves = ZEN_3_IN_TWO_CORES;
        leaves[{0, 0}] = vendor;
        if (version != 0) leaves[{1, 0}] = {version, 0, 0, 0};
        recorded = &leaves;
        row.l2 = 512 * KB, row.last_level = 32 * MB;
        EXPECT_EQ(machine_by_cpuid(recorded_cpuid), row) << std::hex << version;
    };
    for (const uint32_t granite_rapids : {0x000a06d1U, 0x000c06f2U}) is(INTEL, granite_rapids, machine());
    for (const uint32_t milan_vermeer_cezanne : {0x00a00f11U, 0x00a20f10U, 0x00a50f00U})
        is(AMD, milan_vermeer_cezanne, ZEN_3);
    for (const uint32_t genoa_raphael_phoenix_bergamo : {0x00a10f11U, 0x00a60f12U, 0x00a70f41U, 0x00aa0f01U})
        is(AMD, genoa_raphael_phoenix_bergamo, ZEN_4);
    for (const uint32_t turin_granite_ridge_later : {0x00b00f21U, 0x00b40f40U, 0x00b50f00U, 0x00c00f00U})
        is(AMD, turin_granite_ridge_later, ZEN_5);
    is(HYGON, 0x00900f02, BEFORE_ZEN_3);
    is(AMD, 0x00830f10, BEFORE_ZEN_3);
    is(AMD, 0, BEFORE_ZEN_3); // no leaf 1
    recorded = &ZEN_3_IN_TWO_CORES;
    EXPECT_EQ(machine_by_cpuid(recorded_cpuid), (machine{512 * KB, 32 * MB})) << "no leaf 0";
}

TEST(caches, what_cannot_be_is_not_believed) {
    const machine safe;
    EXPECT_EQ(machine_of(NO_ANSWER), safe);
    EXPECT_EQ(machine_of({{{1, 1}, {1, 1}, {1, 1}}}), safe);
    EXPECT_EQ(machine_of({{{-1, -1}, {-1, -1}, {-1, -1}}}), safe);
    // The second level larger than the last.
    EXPECT_EQ(machine_of({{{48 * KB, 1}, {64 * MB, 1}, {16 * MB, 1}}}), (machine{safe.l2, safe.last_level}));
    // No sharers, more of the first than of the second level, and too many.
    EXPECT_EQ(machine_of({{{48 * KB, 0}, {MB, 0}, {16 * MB, 0}}}), (machine{MB, 16 * MB}));
    EXPECT_EQ(machine_of({{{48 * KB, 64}, {MB, 2}, {16 * MB, 2}}}), (machine{MB, 16 * MB}));
    EXPECT_EQ(machine_of({{{48 * KB, 1}, {MB, 4096}, {16 * MB, 4096}}}), (machine{safe.l2, 16 * MB}));
    // No last level: it is not smaller than the second.
    EXPECT_EQ(machine_of({{{48 * KB, 1}, {MB, 1}, {}}}), (machine{MB, safe.last_level}));
    EXPECT_EQ(machine_of({{{48 * KB, 1}, {24 * MB, 1}, {}}}), (machine{24 * MB, 24 * MB}));
    EXPECT_EQ(machine_of({{{}, {}, {16 * MB, 1}}}), (machine{safe.l2, 16 * MB}));
}

TEST(caches, what_glibc_says_of_zen_3_does_less_harm) {
    EXPECT_EQ(machine_of({{{32 * KB, 0}, {512 * KB, 0}, {256 * MB, 0}}}), (machine{512 * KB, 64 * MB}));
}

// The only answers of the instruction itself that every processor must give, if it gives any.
TEST(caches, of_this_processor_can_be) {
    const cache_levels levels = caches_by_cpuid(execute_cpuid);
    if (levels == NO_ANSWER) GTEST_SKIP() << "this processor does not tell";
    EXPECT_GE(levels[0].sharers, 1);
    EXPECT_GT(levels[1].bytes, levels[0].bytes);
}

} // namespace
