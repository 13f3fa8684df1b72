// SPDX-License-Identifier: Apache-2.0
// machine: the numbers of a processor that plans need, as a value: sizes of caches, and numbers that were measured,
// from the processor's row of the table in machine.cpp. They are found once for the machine that runs this process.
// Tests and JITNORM_CACHES make other machines.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bytes.hpp"

namespace jitnorm::impl {

// ---- the processor's answers about its caches

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

struct cpuid_registers {
    uint32_t eax, ebx, ecx, edx;
};
using cpuid_function = bool (*)(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer); // false: no such leaf
// The answers of the CPUID instruction or a function in its place: of leaf 4, or of leaf 0x8000001D if that has none,
// or, of AMD's, of the leaves 0x80000005 and 0x80000006. No file is read, so that a container without /sys has the same
// answers. NO_ANSWER if there is none.
cache_levels caches_by_cpuid(cpuid_function cpuid);
bool execute_cpuid(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer);

// ---- the machine that follows from the answers

// The numbers of processors without a row of their own. The sizes are used where CPUID has none; wrong ones cost little
// speed. tables/processor_numbers.inc has the names and the bounds.
struct machine {
    dim_t l2 = 512 * 1024; // bytes of the second level, for one core

    // How many bytes stay in the caches, for all threads of this process together, from one execution to the next user
    // of the result. It is the size of one last-level cache, however many cores share it: a process with few threads
    // has all of it, and plans are made before the threads are known. It is at most 64 MB, because other processes use
    // a larger cache, too.
    dim_t last_level = 8 * 1024 * 1024;

    // From which percentage of the last level on data come from memory, at least in part, since other cores and guests
    // use it as well. From there on results of one thread are stored past the caches. Several threads read and write
    // the last level faster than memory: their results are stored past the caches from the percentage `shared` on.
    dim_t memory = 51, shared = 100;

    // To which level of the caches rows that come from memory are prefetched. 1: backward does rows of f32 and f64 one
    // by one from L2 on, too.
    dim_t prefetch = 1;

    bool threads_sleep = false; // OpenMP's threads sleep while they wait (OMP_WAIT_POLICY=passive) and must be woken

    bool operator==(const machine &) const = default;
};

// `otherwise`, with those of these caches that have a possible size.
machine machine_of(const cache_levels &levels, const machine &otherwise = machine());

// The machine whose processors all give these answers.
machine machine_by_cpuid(cpuid_function cpuid);

// m with the numbers in a text like "l2:1048576,last_level:33554432,prefetch:2"; nothing for any other text.
std::optional<machine> with_numbers(machine m, std::string_view text);

// The machine that runs this process, with JITNORM_CACHES and OMP_WAIT_POLICY. Takes no lock after the first call.
machine the_machine();

// Text that with_numbers() reads, with all of them: "l2:1048576,last_level:33554432,memory:50,...".
std::string describe(const machine &m);

// Writes one line about the_machine() and the source of its sizes to the verbose log. Later calls do nothing.
void log_machine_once();

} // namespace jitnorm::impl
