// SPDX-License-Identifier: Apache-2.0
// scarce_memory: a program with scarce_memory.cpp has its own operator new, aligned_alloc and mprotect. The first two
// count allocations; all of them fail when told to.
#pragma once

#include <gtest/gtest.h>

namespace jitnorm::tests {

extern thread_local long allocations_left; // allocations of this thread before one fails; negative: none fails
extern thread_local long allocations;      // of this thread, so far
extern thread_local bool no_memory;        // every allocation of this thread fails
extern bool refuse_code_pages;

// Runs body, which returns a status, again and again: first its first allocation fails, then its second, and so on,
// until it returns 0. Every failure must be reported as out_of_memory.
template <typename Status, typename Body>
void expect_each_failure_told(const char *what, Status out_of_memory, Body &&body) {
    for (long healthy = 0; healthy < 1000; ++healthy) {
        allocations_left = healthy;
        const Status status = body();
        allocations_left = -1;
        if (int(status) == 0) {
            EXPECT_GT(healthy, 0) << what << " allocates nothing";
            return;
        }
        EXPECT_EQ(status, out_of_memory) << what << ", allocation " << healthy;
    }
    FAIL() << what << " never succeeded";
}

} // namespace jitnorm::tests
