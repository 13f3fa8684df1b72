// SPDX-License-Identifier: Apache-2.0
// caches: what the system answers to questions about the processors' caches. machine.hpp draws conclusions from it.
#pragma once

#include <array>
#include <cstdint>

#include "dim.hpp"

namespace jitnorm::impl {

// A cache of data, or of data and instructions. The numbers are the answers themselves, which may be nonsense; a number
// is 0 if there was no answer.
struct cache {
    dim_t bytes = 0;
    int sharers = 0; // how many logical processors use the cache

    bool operator==(const cache &) const = default;
};

// The caches between one logical processor and memory. The first one is level 1.
constexpr int CACHE_LEVELS = 3;
using cache_levels = std::array<cache, CACHE_LEVELS>;

// The caches of a few processors of the machine. One would not be enough, since some machines have processors of
// several kinds.
struct cache_facts {
    static constexpr int MOST = 8;

    const char *source = "nobody"; // who answered
    int count = 0;                 // the number of processors; 0: there was no answer
    std::array<cache_levels, MOST> processors = {};

    // Adds a processor, unless nothing is known of its caches or there are MOST processors already.
    void add(const cache_levels &levels);
};

// ---- three sources. None of them allocates, and none fails: if a source has no answer, the count of processors is 0.

// Files of Linux. Their numbers of sharers are the processors that really share a cache. `folder` is
// /sys/devices/system/cpu, or a folder that a test has written.
cache_facts caches_by_files(const char *folder);

// The CPUID instruction on the processor that executes it: leaf 4, or leaf 0x8000001D if that has no answer. On Intel's
// processors the number of sharers is not how many share the cache, but how many processor numbers are reserved for
// them.
struct cpuid_registers {
    uint32_t eax, ebx, ecx, edx;
};
using cpuid_function = bool (*)(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer); // false: no such leaf
cache_facts caches_by_cpuid(cpuid_function cpuid);
bool execute_cpuid(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer);

// sysconf(). On AMD's processors, glibc up to 2.36 reports the sum of all last-level caches of the package as one
// cache.
cache_facts caches_by_sysconf();

} // namespace jitnorm::impl
