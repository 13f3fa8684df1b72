// SPDX-License-Identifier: Apache-2.0
// The answers of the C library, and what all sources share.
#include "caches.hpp"

#include <algorithm>

#include <unistd.h>

namespace jitnorm::impl {

void cache_facts::add(const cache_levels &levels) {
    const bool known = std::any_of(levels.begin(), levels.end(), [](const cache &c) { return c != cache(); });
    if (known && count < MOST) processors[size_t(count++)] = levels;
}

cache_facts caches_by_sysconf() {
    constexpr std::array<int, CACHE_LEVELS> NAMES = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                                     _SC_LEVEL3_CACHE_SIZE};
    cache_facts facts{.source = "sysconf"};
    cache_levels levels;
    for (size_t i = 0; i < levels.size(); ++i) levels[i].bytes = std::max(sysconf(NAMES[i]), 0L);
    facts.add(levels);
    return facts;
}

} // namespace jitnorm::impl
