// SPDX-License-Identifier: Apache-2.0
// Children made by fork() execute and create, whatever their parent's threads were doing.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/child.hpp"
#include "support/small_pool.hpp"
#include "work.hpp"

namespace jitnorm::tests {
namespace {

TEST(fork, the_child_of_a_parallel_process_executes) {
    work w;
    const auto expected = w.run(); // starts threads, which the child will not have
    for (int i = 0; i < 3; ++i)
        expect_child_succeeds([&] {
            need(w.run() == expected, "an old primitive's bits");
            need(work().run() == expected, "a new primitive's bits");
        });
    expect_child_succeeds([&] {
        small_pool pool(3);
        need(w.run_on(make_stream(pool.as_seen_by_the_library())) == expected, "the bits by a caller's pool");
        need(pool.calls() > 0, "the pool is called");
    });
    expect_child_succeeds([&] {
        std::thread([&] { need(w.run() == expected, "the bits in a thread of the child"); }).join();
        expect_child_succeeds([&] { need(work().run() == expected, "the bits in the child's child"); });
        need(!testing::Test::HasFailure(), "the child's child");
    });
    EXPECT_EQ(w.run(), expected) << "the parent goes on";
}

TEST(fork, others_may_be_creating) {
#ifdef JITNORM_SANITIZED
    GTEST_SKIP() << "the sanitizer's own locks do not survive such a fork";
#endif
    constexpr int THREADS = 3, FORKS = 300;
    constexpr jitnorm_dim_t ROWS = 3, COLUMNS = 33;
    int capacity = 0;
    ASSERT_EQ(jitnorm_get_primitive_cache_capacity(&capacity), jitnorm_success);
    std::vector<unsigned char> expected = work(jitnorm_bf16, 0, ROWS, COLUMNS).run();
    std::atomic<bool> done = false;
    std::vector<std::jthread> creating;
    for (int t = 0; t < THREADS; ++t)
        creating.emplace_back([&] {
            while (!done) {
                work(jitnorm_bf16, 0, ROWS, COLUMNS);
                jitnorm_set_primitive_cache_capacity(0); // the next to come generates again
                jitnorm_set_primitive_cache_capacity(1000);
            }
        });
    for (int i = 0; i < FORKS && !HasFailure(); ++i)
        expect_child_succeeds([&] { need(work(jitnorm_bf16, 0, ROWS, COLUMNS).run() == expected, "the bits"); });
    done = true;
    creating.clear();
    EXPECT_EQ(jitnorm_set_primitive_cache_capacity(capacity), jitnorm_success);
}

} // namespace
} // namespace jitnorm::tests
