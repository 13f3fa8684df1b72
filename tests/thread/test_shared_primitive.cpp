// SPDX-License-Identifier: Apache-2.0
// Several threads execute one primitive at once, through the C interface: each gets the bits of a single thread,
// whatever number of threads the runtime gives.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#ifdef JITNORM_THREADING_OMP
#include <omp.h>
#endif

#include "support/shared_work.hpp"

using namespace jitnorm::tests;

namespace {

void run_at_once(shared_work &work, const bytes &expected) {
    constexpr int THREADS = 4, TIMES = 5;
    std::atomic<int> waiting = THREADS, different = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < THREADS; ++t)
        threads.emplace_back([&] {
            for (--waiting; waiting > 0;) std::this_thread::yield();
            for (int i = 0; i < TIMES; ++i) different += work.run() != expected;
        });
    threads.clear();
    EXPECT_EQ(different, 0);
}

class shared_primitive : public testing::TestWithParam<job> {};

TEST_P(shared_primitive, every_execution_has_the_same_bits) {
    owned_pd pd = describe(GetParam());
    do {
        SCOPED_TRACE(testing::Message() << implementation_of(pd) << ", seed " << SEED);
        owned_pd copy;
        ASSERT_OK(jitnorm_primitive_desc_clone(&copy, pd));
        shared_work work(GetParam(), std::move(copy));
        run_at_once(work, work.run());
    } while (jitnorm_primitive_desc_next_impl(pd) == jitnorm_success);
}

#ifdef JITNORM_THREADING_OMP
TEST_P(shared_primitive, every_number_of_threads_has_the_same_bits) {
    shared_work work(GetParam());
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const bytes expected = work.run();
    for (int threads = 2; threads <= 5; ++threads) {
        omp_set_num_threads(threads);
        EXPECT_EQ(work.run(), expected) << threads << " threads, seed " << SEED;
    }
    omp_set_num_threads(before);
}
#endif

INSTANTIATE_TEST_SUITE_P(jobs, shared_primitive, testing::ValuesIn(jobs()),
                         [](const auto &instance) { return instance.param.name; });

} // namespace
