// SPDX-License-Identifier: Apache-2.0
// allocation_failures: a program with allocation_failures.cpp has its own operator new, aligned_alloc and mprotect. The
// first two count allocations; all of them can be made to fail.
#pragma once

#include <gtest/gtest.h>

#include "jitnorm/jitnorm.h"

namespace jitnorm::tests {

extern thread_local long allocations_left; // allocations of this thread before one fails; negative: none fails
extern thread_local long allocations;      // of this thread, so far
extern thread_local bool no_memory;        // every allocation of this thread fails
extern bool refuse_code_pages;

// Runs body, which returns a status, again and again: first its first allocation fails, then its second, and so on,
// until none fails any more. After each run it calls check(status, whether one failed); false ends the loop.
template <typename Body, typename Check>
void fail_each_allocation(Body &&body, Check &&check) {
    bool goes_on = true, one_failed = true;
    for (long healthy = 0; goes_on && one_failed; ++healthy) {
        ASSERT_LT(healthy, 1000);
        SCOPED_TRACE(testing::Message() << "allocation " << healthy);
        allocations_left = healthy;
        const auto status = body();
        one_failed = allocations_left < 0;
        allocations_left = -1;
        goes_on = check(status, one_failed);
    }
}

// While it lives, nothing that was made before is at hand.
class without_caches {
public:
    without_caches() {
        EXPECT_EQ(jitnorm_get_primitive_cache_capacity(&capacity_), jitnorm_success);
        EXPECT_EQ(jitnorm_set_primitive_cache_capacity(0), jitnorm_success);
    }
    without_caches(const without_caches &) = delete;
    without_caches &operator=(const without_caches &) = delete;
    ~without_caches() { EXPECT_EQ(jitnorm_set_primitive_cache_capacity(capacity_), jitnorm_success); }

private:
    int capacity_ = 0;
};

// The same, and the system gives no pages for code.
class without_code_pages : without_caches {
public:
    without_code_pages() { refuse_code_pages = true; }
    ~without_code_pages() { refuse_code_pages = false; }
};

} // namespace jitnorm::tests
