// SPDX-License-Identifier: Apache-2.0
// caches: what is answered about a processor's caches, and by whom. What follows from it: machine.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "dim.hpp"

namespace jitnorm::impl {

// Of data, or of data and instructions. Everything as it was answered, which may be nonsense; 0 where nothing was.
struct cache {
    dim_t bytes = 0;
    int sharers = 0; // logical processors that use it, the asking one among them

    bool operator==(const cache &) const = default;
};

// The caches on the way from one logical processor to memory; the first is level 1.
constexpr int CACHE_LEVELS = 3;
using cache_levels = std::array<cache, CACHE_LEVELS>;

// Some processors of a machine, since not all of them are of one kind everywhere.
struct cache_facts {
    static constexpr int MOST = 8;

    const char *source = "nobody"; // who answered
    int count = 0;                 // of processors; 0: no answer
    std::array<cache_levels, MOST> processors = {};

    void add(const cache_levels &levels); // unless nothing is known of them, or there are as many as can be
};

// ---- three sources. None allocates, none fails: a source that does not know has no processors.

// Files of Linux. They count the processors that are there and share a cache. `folder`: /sys/devices/system/cpu, or one
// that a test has written.
cache_facts caches_by_files(const char *folder);

// The CPUID instruction: leaf 4, or else leaf 0x8000001D, for the processor that executes it. Intel's processors do not
// say how many others share a cache, only how many their numbering has room for.
struct cpuid_registers {
    uint32_t eax, ebx, ecx, edx;
};
using cpuid_function = bool (*)(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer); // false: no such leaf
cache_facts caches_by_cpuid(cpuid_function cpuid);
bool execute_cpuid(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer);

// sysconf(). On AMD's processors glibc up to 2.36 takes the last levels of the whole package for one.
cache_facts caches_by_sysconf();

} // namespace jitnorm::impl
