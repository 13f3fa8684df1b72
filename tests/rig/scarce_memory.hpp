// SPDX-License-Identifier: Apache-2.0
// scarce_memory: a program with scarce_memory.cpp has its own operator new, aligned_alloc and mprotect. The first two
// count allocations; all of them fail when told to.
#pragma once

#include <gtest/gtest.h>

#include "jitnorm/jitnorm.h"

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

// While it lives, the system gives no pages for code, and no kernel from before is at hand.
class without_code_pages {
public:
    without_code_pages() {
        EXPECT_EQ(jitnorm_get_primitive_cache_capacity(&capacity_), jitnorm_success);
        EXPECT_EQ(jitnorm_set_primitive_cache_capacity(0), jitnorm_success);
        refuse_code_pages = true;
    }
    without_code_pages(const without_code_pages &) = delete;
    without_code_pages &operator=(const without_code_pages &) = delete;
    ~without_code_pages() {
        refuse_code_pages = false;
        EXPECT_EQ(jitnorm_set_primitive_cache_capacity(capacity_), jitnorm_success);
    }

private:
    int capacity_ = 0;
};

} // namespace jitnorm::tests
