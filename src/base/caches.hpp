// SPDX-License-Identifier: Apache-2.0
// caches: what the processor answers to questions about its caches. machine.hpp draws conclusions from it.
#pragma once

#include <array>
#include <cstdint>

#include "dim.hpp"

namespace jitnorm::impl {

// A cache of data, or of data and instructions. The numbers are the answers themselves, which may be nonsense; a number
// is 0 if there was no answer. On Intel's processors the number of sharers is not how many share the cache, but how
// many processor numbers are reserved for them.
struct cache {
    dim_t bytes = 0;
    int sharers = 0; // how many logical processors use the cache

    bool operator==(const cache &) const = default;
};

// The caches between one logical processor and memory. The first one is level 1.
constexpr int CACHE_LEVELS = 3;
using cache_levels = std::array<cache, CACHE_LEVELS>;
constexpr cache_levels NO_ANSWER = {};

// Asks the processor that executes this by the CPUID instruction: leaf 4, or leaf 0x8000001D if that has no answer. No
// file is read, so that a container without /sys has the same answers. NO_ANSWER if there is none.
struct cpuid_registers {
    uint32_t eax, ebx, ecx, edx;
};
using cpuid_function = bool (*)(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer); // false: no such leaf
cache_levels caches_by_cpuid(cpuid_function cpuid);
bool execute_cpuid(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer);

} // namespace jitnorm::impl
