// SPDX-License-Identifier: Apache-2.0
// scarce_memory: a program with this file's .cpp has its own operator new, aligned_alloc and mprotect, which count and,
// when told to, fail.
#pragma once

#include <gtest/gtest.h>

namespace jitnorm::tests {

extern thread_local long allocations_left; // before one of this thread's fails; negative: none does
extern thread_local long allocations;      // of this thread, so far
extern thread_local bool no_memory;        // each of this thread's fails
extern bool refuse_code_pages;

// Runs body, which answers a status, with the first, second, ... allocation failing until it answers 0: every failure
// must be told as out_of_memory.
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
