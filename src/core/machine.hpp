// SPDX-License-Identifier: Apache-2.0
// machine: what a plan has to know of the processor it is for. A value: the one that runs this process is found once;
// tests make up others.
#pragma once

#include <string>

#include "memory_desc.hpp"

namespace jitnorm::impl {

struct machine {
    dim_t l1 = 32 * 1024; // bytes of a core's own caches for data
    dim_t l2 = 512 * 1024;
    dim_t last_level = 8 * 1024 * 1024; // bytes of the last level that one process can count on

    bool operator==(const machine &) const = default;
};

// The one this process runs on. Takes no lock after the first call.
const machine &the_machine();

// "l1:32768,l2:1048576,last_level:33554432", for the log.
std::string describe(const machine &m);

} // namespace jitnorm::impl
