// SPDX-License-Identifier: Apache-2.0
// The caller's thread pool: every part once on the pool's threads, nested use serial, the same bits as on the library's
// own threads, and streams with different pools side by side.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "base/parallel.hpp"
#include "support/shared_work.hpp"
#include "support/small_pool.hpp"

using namespace jitnorm::tests;
using jitnorm::impl::max_threads;
using jitnorm::impl::parallel_parts;
using jitnorm::impl::threads_of;

namespace {

std::vector<int> count_runs(int parts) {
    std::vector<std::atomic<int>> counts(size_t(std::max(parts, 1)));
    parallel_parts(parts, [&](int part) { ++counts[size_t(part)]; });
    return {counts.begin(), counts.end()};
}

// ---------------------------------------------------------------- pools of all sorts

// Records its calls and runs bodies from the last to the first, on the caller.
struct backward_pool {
    std::vector<int> counts;
    jitnorm_thread_pool_t pool = {parallel_for, this, 4};

    static void parallel_for(void *context, int count, void (*body)(void *, int), void *argument) {
        static_cast<backward_pool *>(context)->counts.push_back(count);
        for (int i = count; i-- > 0;) body(argument, i);
    }
};

// A thread for each body.
void thread_for_each(void *, int count, void (*body)(void *, int), void *argument) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(body, argument, i);
}

constexpr jitnorm_thread_pool_t THREAD_FOR_EACH = {thread_for_each, nullptr, 3};
constexpr jitnorm_thread_pool_t ALONE = {nullptr, nullptr, 1};

// ---------------------------------------------------------------- parts

TEST(parts_on_a_pool, run_once_each_for_every_number) {
    small_pool pool(3);
    const jitnorm_thread_pool_t seen = pool.as_seen_by_the_library();
    const threads_of scope(&seen);
    EXPECT_EQ(max_threads(), 4);
    EXPECT_EQ(count_runs(0), std::vector<int>{0});
    for (int parts = 1; parts <= 9; ++parts) EXPECT_EQ(count_runs(parts), std::vector<int>(size_t(parts), 1));
    EXPECT_EQ(pool.calls(), 8); // a single part needs no pool
}

TEST(parts_on_a_pool, any_order_will_do) {
    backward_pool pool;
    const threads_of scope(&pool.pool);
    EXPECT_EQ(count_runs(5), std::vector<int>(5, 1));
    EXPECT_EQ(pool.counts, std::vector<int>{5});
}

TEST(parts_on_a_pool, a_pool_of_one_is_not_asked) {
    const threads_of scope(&ALONE);
    EXPECT_EQ(max_threads(), 1);
    EXPECT_EQ(count_runs(5), std::vector<int>(5, 1));
}

TEST(parts_on_a_pool, results_are_visible_afterwards) {
    const threads_of scope(&THREAD_FOR_EACH);
    std::vector<int> values(64, 0); // not atomic: the wait orders them
    parallel_parts(64, [&](int part) { values[size_t(part)] = part * part; });
    for (int part = 0; part < 64; ++part) EXPECT_EQ(values[size_t(part)], part * part);
}

TEST(parts_on_a_pool, nested_use_is_serial) {
    small_pool pool(3);
    const jitnorm_thread_pool_t seen = pool.as_seen_by_the_library();
    const threads_of scope(&seen);
    std::atomic<int> runs = 0, wrong = 0;
    parallel_parts(4, [&](int) {
        const auto me = std::this_thread::get_id();
        wrong += max_threads() != 1;
        parallel_parts(5, [&](int) {
            ++runs;
            wrong += std::this_thread::get_id() != me;
        });
    });
    EXPECT_EQ(runs, 20);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(pool.calls(), 1);
    EXPECT_EQ(max_threads(), 4);
}

TEST(parts_on_a_pool, scopes_nest_and_end) {
    const int before = max_threads();
    {
        const threads_of outer(&THREAD_FOR_EACH);
        {
            const threads_of inner(&ALONE);
            EXPECT_EQ(max_threads(), 1);
        }
        EXPECT_EQ(max_threads(), 3);
        const threads_of own(nullptr);
        EXPECT_EQ(max_threads(), before);
    }
    EXPECT_EQ(max_threads(), before);
}

TEST(parts_on_a_pool, other_threads_keep_their_own) {
    const threads_of scope(&THREAD_FOR_EACH);
    int elsewhere = 0;
    std::thread([&] {
        const threads_of alone(&ALONE);
        elsewhere = max_threads();
    }).join();
    EXPECT_EQ(elsewhere, 1);
    EXPECT_EQ(max_threads(), 3);
}

// ---------------------------------------------------------------- executions

class on_a_pool : public testing::TestWithParam<job> {
protected:
    shared_work work_{GetParam()};
    bytes expected_ = work_.run();
};

TEST_P(on_a_pool, bits_do_not_depend_on_the_pool) {
    backward_pool backward;
    for (const jitnorm_thread_pool_t &pool : {ALONE, THREAD_FOR_EACH, backward.pool})
        EXPECT_EQ(work_.run_on(make_stream(pool)), expected_) << pool.concurrency << ", seed " << SEED;
    for (int workers = 1; workers <= 6; ++workers) {
        small_pool pool(workers);
        EXPECT_EQ(work_.run_on(make_stream(pool.as_seen_by_the_library())), expected_)
            << workers << " workers, seed " << SEED;
    }
}

TEST_P(on_a_pool, several_threads_on_one_stream) {
    small_pool pool(2);
    const auto stream = make_stream(pool.as_seen_by_the_library());
    std::atomic<int> different = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 5; ++i) different += work_.run_on(stream) != expected_;
        });
    threads.clear();
    EXPECT_EQ(different, 0);
}

// As frameworks do that run operators of a graph on the pool that the operators use: a thread that waits for its parts
// may begin another execution, on the same stream or one without a pool.
TEST_P(on_a_pool, executed_by_the_pools_own_threads) {
    small_pool pool(2);
    const auto with_pool = make_stream(pool.as_seen_by_the_library());
    const auto alone = make_stream(ALONE);
    std::atomic<int> different = 0;
    std::vector<small_pool::task> tasks;
    for (int i = 0; i < 12; ++i)
        tasks.emplace_back([&, i] { different += work_.run_on(i % 3 == 0 ? alone : with_pool) != expected_; });
    pool.run(tasks);
    EXPECT_EQ(different, 0);
}

// Runs bodies on the caller, which begins another task after each.
struct interrupted_pool {
    std::function<void()> task;
    jitnorm_thread_pool_t pool = {parallel_for, this, 3};

    static void parallel_for(void *context, int count, void (*body)(void *, int), void *argument) {
        for (int i = 0; i < count; ++i) {
            body(argument, i);
            static_cast<interrupted_pool *>(context)->task();
        }
    }
};

// Executions of other problems on the thread of one that waits: what it has in its scratchpad stays.
TEST_P(on_a_pool, other_problems_are_executed_meanwhile) {
    const auto alone = make_stream(ALONE);
    for (const job &j : jobs()) {
        if (j.name != "forward_columns" && j.name != "backward_large") continue;
        shared_work other(j);
        const bytes expected = other.run();
        int different = 0;
        interrupted_pool pool;
        pool.task = [&] { different += other.run_on(alone) != expected; };
        EXPECT_EQ(work_.run_on(make_stream(pool.pool)), expected_) << j.name << ", seed " << SEED;
        EXPECT_EQ(different, 0) << j.name << ", seed " << SEED;
    }
}

INSTANTIATE_TEST_SUITE_P(jobs, on_a_pool, testing::ValuesIn(jobs()),
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

// The thread that finishes last makes the gradients if the sums of the others are less than 96 KB. Sums are in float
// for parts of one row block, as up to 2048 rows have, and otherwise in double.
TEST(pools, few_sums_of_gradients_need_no_second_call) {
    const struct {
        dims sizes;
        size_t calls;
    } cases[] = {{{512, 64}, 1}, {{1024, 448}, 1}, {{1024, 512}, 2}, {{4096, 64}, 1}, {{4096, 128}, 2}};
    for (const auto &[sizes, calls] : cases) {
        shared_work work({"gradients", jitnorm_backward, sizes});
        const bytes expected = work.run_on(make_stream(ALONE));
        backward_pool pool;
        EXPECT_EQ(work.run_on(make_stream(pool.pool)), expected) << sizes[0] << 'x' << sizes[1] << ", seed " << SEED;
        EXPECT_EQ(pool.counts.size(), calls) << sizes[0] << 'x' << sizes[1];
    }
}

// The columns of the gradients are shared by lines of 64, and no thread gets none.
TEST(pools, sums_of_gradients_have_no_more_threads_than_lines) {
    shared_work work({"gradients", jitnorm_backward, {2048, 256}});
    const bytes expected = work.run_on(make_stream(ALONE));
    backward_pool pool;
    pool.pool.concurrency = 16;
    EXPECT_EQ(work.run_on(make_stream(pool.pool)), expected) << "seed " << SEED;
    EXPECT_EQ(pool.counts, (std::vector<int>{16, 4}));
}

TEST(pools, each_stream_has_its_own) {
    const job j = jobs()[1];
    shared_work work(j);
    const bytes expected = work.run();
    small_pool pools[2] = {small_pool(1), small_pool(2)};
    const owned_stream streams[2] = {make_stream(pools[0].as_seen_by_the_library()),
                                     make_stream(pools[1].as_seen_by_the_library())};
    std::atomic<int> different = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 5; ++i) different += work.run_on(streams[t]) != expected;
        });
    threads.clear();
    EXPECT_EQ(different, 0);
    for (small_pool &pool : pools) EXPECT_GE(pool.calls(), 5);
    const int before = pools[0].calls() + pools[1].calls();
    EXPECT_EQ(work.run(), expected); // a stream without a pool, on a thread that has used none
    EXPECT_EQ(pools[0].calls() + pools[1].calls(), before);
}

} // namespace
