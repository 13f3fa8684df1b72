// SPDX-License-Identifier: Apache-2.0
// run_one: what a fuzz target is: a function that takes any bytes and returns, unless the library breaks a promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace jitnorm::fuzz {

// The answer is 0. A finding ends the process: a sanitizer's report, a signal, or require() below.
int run_one(const uint8_t *data, size_t size);

// The target's input number `seed`, the same on every machine; for the loop in the ordinary suite.
std::string input_of_seed(uint64_t seed);

inline void require(bool holds, const char *promise, const std::string &details = "") {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s%s%s\n", promise, details.empty() ? "" : ": ", details.c_str());
    std::abort();
}

} // namespace jitnorm::fuzz
