// SPDX-License-Identifier: Apache-2.0
// machine: what a plan has to know of the processor for which it is made, as a value. The values of the machine that
// runs this process are found once. Tests and JITNORM_CACHES make other machines.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dim.hpp"

namespace jitnorm::impl {

// ---- what the processor answers to questions about its caches

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

// Asks the processor that executes this by the CPUID instruction: leaf 4, or leaf 0x8000001D if that has no answer, or,
// of AMD's, the leaves 0x80000005 and 0x80000006. No file is read, so that a container without /sys has the same
// answers. NO_ANSWER if there is none.
struct cpuid_registers {
    uint32_t eax, ebx, ecx, edx;
};
using cpuid_function = bool (*)(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer); // false: no such leaf
cache_levels caches_by_cpuid(cpuid_function cpuid);
bool execute_cpuid(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer);

// ---- what follows from the answers

// The sizes here are used where the real ones are unknown; they do little harm where they are wrong.
struct machine {
    dim_t l1 = 32 * 1024;  // bytes of a core's first-level data cache
    dim_t l2 = 512 * 1024; // bytes of the second level, for one core

    // How many bytes stay in the caches, for all threads of this process together, from one execution to the next user
    // of the result. It is the size of one last-level cache, however many cores share it: a process with few threads
    // has all of it, and plans are made before the threads are known. It is at most 64 MB, because other processes use
    // a larger cache, too.
    dim_t last_level = 8 * 1024 * 1024;

    // Whether it pays, beyond L2, to write a batch of rows while the next one is reduced. It does not on AMD's
    // processors, whose own prefetchers keep the rows coming if one is read after the other (docs/measurements.md,
    // "Zen 4" and "Zen 5").
    bool overlaps_batches = true;

    // Where batches are not overlapped: whether they stay in L1, to which instructions prefetch the next rows beyond
    // the last level. It does not pay before Zen 5, where L2 is as fast as L1 and such prefetches cost time: there they
    // go to L2.
    bool batches_in_l1 = true;

    bool threads_sleep = false; // OpenMP's threads sleep while they wait (OMP_WAIT_POLICY=passive) and must be woken

    bool operator==(const machine &) const = default;
};

// The machine whose processors all have these caches. A size that is missing or cannot be is the one above.
machine machine_of(const cache_levels &levels);

// The machine whose processors all give these answers.
machine machine_by_cpuid(cpuid_function cpuid);

// m with what the text names, for example "l2:1048576,last_level:33554432,overlaps_batches:0". Nothing if the text is
// not such a list.
std::optional<machine> with_sizes(machine m, std::string_view text);

// The machine that runs this process, with the sizes that JITNORM_CACHES names and what OMP_WAIT_POLICY says. Takes no
// lock after the first call.
machine the_machine();

// Text that with_sizes() reads, for example
// "l1:32768,l2:1048576,last_level:33554432,overlaps_batches:1,batches_in_l1:1".
std::string describe(const machine &m);

// Writes one line about the_machine() and the source of its sizes to the verbose log. Later calls do nothing.
void log_machine_once();

} // namespace jitnorm::impl
