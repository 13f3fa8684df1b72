// SPDX-License-Identifier: Apache-2.0
// What the library keeps for a thread goes when the thread ends, or when it says so. Where the leak sanitizer watches,
// it counts too.
#include <gtest/gtest.h>

#include <thread>

#include <malloc.h>

#include "jitnorm/jitnorm.hpp"
#include "jitnorm/jitnorm_aclnn.h"
#include "support/small_pool.hpp"
#include "work.hpp"

namespace jitnorm::tests {
namespace {

#ifdef JITNORM_SANITIZED
constexpr bool COUNTS_MEMORY = false; // an allocator of the sanitizer's
#else
constexpr bool COUNTS_MEMORY = true;
#endif

int64_t bytes_in_use() {
    const struct mallinfo2 now = mallinfo2();
    return int64_t(now.uordblks + now.hblkhd);
}

// Small enough that OpenMP's threads, which are the executing thread's own, are not wanted.
constexpr jitnorm_dim_t ROWS = 4, COLUMNS = 2049;

TEST(thread_memory, ends_with_the_thread) {
    constexpr int THREADS = 64;
    work w(jitnorm_f32, jitnorm_use_scale | jitnorm_use_shift, ROWS, COLUMNS);
    ASSERT_GT(w.scratchpad_bytes(), 16 * 1024);
    const auto expected = w.run();
    const auto run_in_threads = [&](int threads) {
        for (int i = 0; i < threads; ++i)
            std::thread([&] {
                EXPECT_EQ(jitnorm_acl_recent_error(), nullptr) << "each thread has its own";
                jitnorm_acl_fail(2, "there", "a reason to keep");
                EXPECT_EQ(w.run(), expected);
            }).join();
    };
    EXPECT_EQ(jitnorm_acl_fail(1, "here", "first"), 1);
    run_in_threads(THREADS); // what the C library keeps for threads to come is there now
    const int64_t before = bytes_in_use();
    run_in_threads(THREADS);
    EXPECT_STREQ(jitnorm_acl_recent_error(), "here: 1: first");
    EXPECT_EQ(jitnorm_acl_recent_error(), nullptr) << "it is returned once";
    if (!COUNTS_MEMORY) GTEST_SKIP() << "the sanitizer counts";
    EXPECT_LT(bytes_in_use() - before, w.scratchpad_bytes());
}

TEST(thread_memory, ends_when_asked_to) {
    work w;
    const auto expected = w.run();
    const int64_t before = bytes_in_use();
    EXPECT_EQ(jitnorm_free_thread_scratchpad(), jitnorm_success);
    const int64_t freed = before - bytes_in_use();
    EXPECT_EQ(free_thread_scratchpad(), status::success) << "there is none now";
    EXPECT_EQ(w.run(), expected) << "a new one is made";
    if (!COUNTS_MEMORY) GTEST_SKIP() << "the sanitizer's allocator does not count";
    EXPECT_GE(freed, w.scratchpad_bytes());
}

// A pool that frees the scratchpad of the thread whose execution it is running.
void free_and_run(void *freed, int count, void (*body)(void *, int), void *argument) {
    *static_cast<int *>(freed) += 1;
    EXPECT_EQ(jitnorm_free_thread_scratchpad(), jitnorm_success);
    run_in_place(nullptr, count, body, argument);
}

TEST(thread_memory, stays_while_it_is_used) {
    work w;
    const auto expected = w.run();
    int freed = 0;
    const jitnorm_thread_pool_t pool = {free_and_run, &freed, 4};
    EXPECT_EQ(w.run_on(make_stream(pool)), expected);
    EXPECT_GT(freed, 0);
}

} // namespace
} // namespace jitnorm::tests
