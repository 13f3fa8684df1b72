// SPDX-License-Identifier: Apache-2.0
// tally: how often something happened to the inputs, so that it can be seen, and tested, that choices reach what they
// are for (replay_main.cpp).
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace jitnorm::fuzz {

inline std::map<std::string, size_t> &tally() {
    static std::map<std::string, size_t> counts;
    return counts;
}

inline void count(const char *event) { ++tally()[event]; }

} // namespace jitnorm::fuzz
