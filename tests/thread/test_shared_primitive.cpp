// SPDX-License-Identifier: Apache-2.0
// Several threads execute one primitive at once, through the C interface, on the library's threads or on pools: each
// gets the bits of a single execution. And how work is shared on pools.
#include <gtest/gtest.h>

#include <numeric>

#include "pools.hpp"
#include "support/shared_work.hpp"

using namespace jitnorm::tests;

namespace {

// A thread for each of the streams executes several times.
void run_at_once(shared_work &work, const std::vector<jitnorm_stream_t> &streams) {
    const bytes expected = work.run();
    std::atomic<int> waiting = int(streams.size()), different = 0;
    std::vector<std::jthread> threads;
    for (const jitnorm_stream_t stream : streams)
        threads.emplace_back([&, stream] {
            for (--waiting; waiting > 0;) std::this_thread::yield();
            for (int i = 0; i < 5; ++i) different += work.run_on(stream) != expected;
        });
    threads.clear();
    EXPECT_EQ(different, 0);
}

class shared_primitive : public testing::TestWithParam<job> {};

TEST_P(shared_primitive, every_execution_has_the_same_bits) {
    owned_pd pd = describe(GetParam());
    const owned_stream stream = make_stream();
    do {
        SCOPED_TRACE(testing::Message() << implementation_of(pd) << ", seed " << SEED);
        owned_pd copy;
        ASSERT_OK(jitnorm_primitive_desc_clone(&copy, pd));
        shared_work work(GetParam(), std::move(copy));
        run_at_once(work, {stream, stream, stream, stream});
    } while (jitnorm_primitive_desc_next_impl(pd) == jitnorm_success);
}

TEST_P(shared_primitive, several_threads_on_one_stream_with_a_pool) {
    small_pool pool(2);
    const owned_stream stream = make_stream(pool.as_seen_by_the_library());
    shared_work work(GetParam());
    run_at_once(work, {stream, stream, stream});
}

// As frameworks do that run operators of a graph on the pool that the operators use: a thread that waits for its parts
// may begin another execution, on the same stream or one without a pool.
TEST_P(shared_primitive, executed_by_the_pools_own_threads) {
    shared_work work(GetParam());
    const bytes expected = work.run();
    small_pool pool(2);
    const auto with_pool = make_stream(pool.as_seen_by_the_library());
    const auto alone = make_stream(ALONE);
    std::atomic<int> different = 0;
    std::vector<small_pool::task> tasks;
    for (int i = 0; i < 12; ++i)
        tasks.emplace_back([&, i] { different += work.run_on(i % 3 == 0 ? alone : with_pool) != expected; });
    pool.run(tasks);
    EXPECT_EQ(different, 0);
}

INSTANTIATE_TEST_SUITE_P(jobs, shared_primitive, testing::ValuesIn(jobs()),
                         [](const auto &instance) { return instance.param.name; });

TEST(pools, large_work_goes_to_them_and_small_work_does_not) {
    for (const job &j : jobs()) {
        shared_work work(j);
        backward_pool pool;
        work.run_on(make_stream(pool.pool));
        const auto values = std::accumulate(j.sizes.begin(), j.sizes.end(), jitnorm_dim_t(1), std::multiplies<>());
        if (values < 1000 || values > 100000) {
            EXPECT_EQ(pool.counts.empty(), values < 1000) << j.name;
        }
        for (const int count : pool.counts) EXPECT_TRUE(2 <= count && count <= 4) << j.name << ' ' << count;
    }
}

// The calling thread makes the gradients if the sums of all parts are less than 96 KB. Sums are in float for parts of
// one row block, as up to 2048 rows have, and otherwise in double. A second call shares the columns of the gradients by
// lines of 64, and no thread gets none.
TEST(pools, few_sums_of_gradients_need_no_second_call) {
    const struct {
        dims sizes;
        int threads;
        std::vector<int> calls;
    } cases[] = {{{512, 64}, 4, {4}},  {{1024, 320}, 4, {4}},    {{1024, 384}, 4, {4, 4}},
                 {{4096, 64}, 4, {4}}, {{4096, 128}, 4, {4, 2}}, {{2048, 256}, 16, {16, 4}}};
    for (const auto &[sizes, threads, calls] : cases) {
        SCOPED_TRACE(testing::Message() << sizes[0] << 'x' << sizes[1] << ", seed " << SEED);
        shared_work work({"gradients", jitnorm_backward, sizes});
        const bytes expected = work.run_on(make_stream(ALONE));
        backward_pool pool;
        pool.pool.concurrency = threads;
        EXPECT_EQ(work.run_on(make_stream(pool.pool)), expected);
        EXPECT_EQ(pool.counts, calls);
    }
}

TEST(pools, each_stream_has_its_own) {
    shared_work work(jobs()[1]);
    small_pool pools[2] = {small_pool(1), small_pool(2)};
    const owned_stream streams[2] = {make_stream(pools[0].as_seen_by_the_library()),
                                     make_stream(pools[1].as_seen_by_the_library())};
    run_at_once(work, {streams[0], streams[1]});
    for (small_pool &pool : pools) EXPECT_GE(pool.calls(), 5);
    const int before = pools[0].calls() + pools[1].calls();
    work.run(); // a stream without a pool, on a thread that has used none
    EXPECT_EQ(pools[0].calls() + pools[1].calls(), before);
}

} // namespace
