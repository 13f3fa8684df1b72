// SPDX-License-Identifier: Apache-2.0
// Reads the caches by the CPUID instruction. Intel's leaf 4 and AMD's leaf 0x8000001D have the same layout: one subleaf
// for each cache, and after the last one a subleaf of type 0.
#include "caches.hpp"

#include <cpuid.h>

namespace jitnorm::impl {

namespace {

constexpr uint32_t INTEL_CACHES = 4, AMD_CACHES = 0x8000'001D;
constexpr uint32_t MOST_SUBLEAVES = 16; // ends the loop if no subleaf has type 0
constexpr uint32_t NO_CACHE = 0, INSTRUCTIONS = 2;

constexpr uint32_t bits(uint32_t value, int from, int to) { return value >> from & ((2U << (to - from)) - 1); }

// The largest product is 2^64, which becomes 0; sizes from 2^63 on become negative. Both are nonsense, as the answers
// are, and machine_of() ignores them.
cache cache_in(const cpuid_registers &r) {
    const uint64_t line = bits(r.ebx, 0, 11) + 1, partitions = bits(r.ebx, 12, 21) + 1, ways = bits(r.ebx, 22, 31) + 1;
    const uint64_t sets = uint64_t(r.ecx) + 1;
    return {dim_t(line * partitions * ways * sets), int(bits(r.eax, 14, 25)) + 1};
}

cache_levels levels_in(cpuid_function cpuid, uint32_t leaf) {
    cache_levels levels;
    cpuid_registers r;
    for (uint32_t i = 0; i < MOST_SUBLEAVES && cpuid(leaf, i, r); ++i) {
        const uint32_t type = bits(r.eax, 0, 4), level = bits(r.eax, 5, 7);
        if (type == NO_CACHE) break;
        if (type != INSTRUCTIONS && level >= 1 && level <= CACHE_LEVELS) levels[level - 1] = cache_in(r);
    }
    return levels;
}

} // namespace

cache_levels caches_by_cpuid(cpuid_function cpuid) {
    const cache_levels levels = levels_in(cpuid, INTEL_CACHES);
    return levels != NO_ANSWER ? levels : levels_in(cpuid, AMD_CACHES);
}

bool execute_cpuid(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer) {
    return __get_cpuid_count(leaf, subleaf, &answer.eax, &answer.ebx, &answer.ecx, &answer.edx) != 0;
}

} // namespace jitnorm::impl
