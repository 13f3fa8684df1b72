// SPDX-License-Identifier: Apache-2.0
// machine: what a plan has to know of the processor it is for. A value: what runs this process is found once; tests and
// JITNORM_CACHES make up others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "caches.hpp"

namespace jitnorm::impl {

// What is not known has a size that does no harm where it is wrong.
struct machine {
    dim_t l1 = 32 * 1024; // bytes of data that a core keeps for itself
    dim_t l2 = 512 * 1024;

    // Bytes that the threads of this process together keep from one execution to the next, or from its end to the next
    // user of the result: one last level, however many cores share it, since threads of a small process have all of it
    // and plans are made before threads are known. At most 64 MB, since a larger one is shared with others.
    dim_t last_level = 8 * 1024 * 1024;

    bool operator==(const machine &) const = default;
};

// What follows from the answers. Of each size the smallest that one of the processors has: a plan is for all of them.
machine machine_of(const cache_facts &facts);

// The machine with the sizes that a text names, like "l2:1048576,last_level:33554432"; nothing when it says anything
// else.
std::optional<machine> with_sizes(machine m, std::string_view text);

// The one this process runs on, with JITNORM_CACHES. Takes no lock after the first call.
machine the_machine();

// "l1:32768,l2:1048576,last_level:33554432": what with_sizes() reads.
std::string describe(const machine &m);

// A line about the_machine() and where it comes from, the first time.
void log_machine_once();

} // namespace jitnorm::impl
