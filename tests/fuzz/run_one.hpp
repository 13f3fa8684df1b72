// SPDX-License-Identifier: Apache-2.0
// run_one: a fuzz target is a function that takes any bytes and returns, unless the library breaks a promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace jitnorm::fuzz {

// The answer is 0. A finding ends the process: a sanitizer's report, a signal, or require() below.
int run_one(const uint8_t *data, size_t size);

inline void require(bool holds, const char *promise, const std::string &details = "") {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s%s%s\n", promise, details.empty() ? "" : ": ", details.c_str());
    std::abort();
}

template <typename Status, typename... Documented>
void require_one_of(const char *promise, Status status, Documented... documented) {
    require(((status == documented) || ...), promise, "status " + std::to_string(status));
}

// How often each event happened to the inputs: replay_main.cpp prints it, and fails where choices do not reach it often
// enough.
inline std::map<std::string, size_t> &tally() {
    static std::map<std::string, size_t> counts;
    return counts;
}

inline void count(const char *event) { ++tally()[event]; }

} // namespace jitnorm::fuzz
