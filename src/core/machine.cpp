// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <unistd.h>

#include <algorithm>

#include "process_wide.hpp"

namespace jitnorm::impl {

namespace {

dim_t cache_bytes(int name, dim_t otherwise) {
    const long bytes = sysconf(name);
    return bytes > 0 ? dim_t(bytes) : otherwise;
}

// Large last levels are shared by many.
constexpr dim_t LARGEST_SHARE = 64 * 1024 * 1024;

struct found : machine {
    found() {
        l1 = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, l1);
        l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, l2);
        last_level = std::min(cache_bytes(_SC_LEVEL3_CACHE_SIZE, last_level), LARGEST_SHARE);
    }
};

constinit process_wide<const found> this_machine;

} // namespace

const machine &the_machine() { return this_machine.get(); }

std::string describe(const machine &m) {
    return "l1:" + std::to_string(m.l1) + ",l2:" + std::to_string(m.l2) + ",last_level:" + std::to_string(m.last_level);
}

} // namespace jitnorm::impl
