// SPDX-License-Identifier: Apache-2.0
// Parts run once each, whatever the number of threads, on the library's own threads and on the caller's pool; nested
// use is serial.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <vector>

#include <unistd.h>

#ifdef JITNORM_THREADING_OMP
#include <omp.h>
#endif

#include "base/parallel.hpp"
#include "pools.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::tests;

namespace {

std::vector<int> count_runs(int parts) {
    std::vector<std::atomic<int>> counts(size_t(std::max(parts, 1)));
    parallel_parts(parts, [&](int part) { ++counts[size_t(part)]; });
    return {counts.begin(), counts.end()};
}

// The system's numbers of the threads, since it gives an ended thread's pthread_t to the next one.
std::set<pid_t> threads_used(int parts) {
    std::mutex mutex;
    std::set<pid_t> ids;
    parallel_parts(parts, [&](int) {
        const std::lock_guard lock(mutex);
        ids.insert(gettid());
    });
    return ids;
}

// Calls body on the library's own threads, and on pools of all sorts.
template <typename Body>
void on_own_threads_and_pools(Body &&body) {
    small_pool pool(3);
    backward_pool backward;
    const jitnorm_thread_pool_t seen = pool.as_seen_by_the_library();
    const jitnorm_thread_pool_t *const own = nullptr;
    for (const jitnorm_thread_pool_t *each : {own, &seen, &THREAD_FOR_EACH, &std::as_const(backward.pool), &ALONE}) {
        SCOPED_TRACE(each == nullptr ? "own threads" : "a pool of " + std::to_string(each->concurrency));
        const pool_scope scope(each);
        body();
    }
}

TEST(parallel, each_part_runs_once) {
    on_own_threads_and_pools([] {
        for (const int none : {0, -3}) EXPECT_EQ(count_runs(none), std::vector<int>{0});
        for (int parts = 1; parts <= 9; ++parts) EXPECT_EQ(count_runs(parts), std::vector<int>(size_t(parts), 1));
        EXPECT_EQ(threads_used(1), std::set{gettid()});
    });
}

TEST(parallel, results_are_visible_afterwards) {
    on_own_threads_and_pools([] {
        std::vector<int> values(64, 0); // not atomic: the wait orders them
        parallel_parts(64, [&](int part) { values[size_t(part)] = part * part; });
        for (int part = 0; part < 64; ++part) EXPECT_EQ(values[size_t(part)], part * part);
    });
}

TEST(parallel, nested_use_is_serial) {
    on_own_threads_and_pools([] {
        std::atomic<int> runs = 0, wrong = 0;
        parallel_parts(4, [&](int) {
            wrong += max_threads() != 1 || threads_used(4) != std::set{gettid()};
            parallel_parts(5, [&](int) { ++runs; });
        });
        EXPECT_EQ(runs, 20);
        EXPECT_EQ(wrong, 0);
    });
}

TEST(parallel, splits_cover_every_item_once) {
    for (const dim_t count : {dim_t(0), dim_t(1), dim_t(7), dim_t(8), dim_t(1000003)})
        for (int parts = 1; parts <= 9; ++parts) {
            dim_t next = 0;
            for (int part = 0; part < parts; ++part) {
                const range r = split(count, parts, part);
                EXPECT_EQ(r.begin, next);
                EXPECT_GE(r.end - r.begin, count / parts);
                EXPECT_LE(r.end - r.begin, count / parts + 1);
                next = r.end;
            }
            EXPECT_EQ(next, count);
        }
}

TEST(parts_on_a_pool, ask_it_once_for_several_parts) {
    backward_pool pool;
    const pool_scope scope(&pool.pool);
    EXPECT_EQ(max_threads(), 4);
    for (const int parts : {0, 1, 5, 2}) count_runs(parts);
    parallel_parts(4, [](int) { count_runs(5); });
    EXPECT_EQ(pool.counts, (std::vector<int>{5, 2, 4}));
    const pool_scope nobody(&ALONE); // is not asked
    EXPECT_EQ(max_threads(), 1);
    EXPECT_EQ(threads_used(5), std::set{gettid()});
}

TEST(parts_on_a_pool, scopes_nest_and_end) {
    const int before = max_threads();
    {
        const pool_scope outer(&THREAD_FOR_EACH);
        {
            const pool_scope inner(&ALONE);
            EXPECT_EQ(max_threads(), 1);
        }
        EXPECT_EQ(max_threads(), 3);
        const pool_scope own(nullptr);
        EXPECT_EQ(max_threads(), before);
    }
    EXPECT_EQ(max_threads(), before);
}

TEST(parts_on_a_pool, other_threads_keep_their_own) {
    const pool_scope scope(&THREAD_FOR_EACH);
    int elsewhere = 0;
    std::thread([&] {
        const pool_scope alone(&ALONE);
        elsewhere = max_threads();
    }).join();
    EXPECT_EQ(elsewhere, 1);
    EXPECT_EQ(max_threads(), 3);
}

// ---------------------------------------------------------------- own threads

#ifdef JITNORM_THREADING_OMP

// A team of this program's that waited for a busy core is no reason any more.
void end_rest() { rest_teams(0); }

TEST(parallel, each_part_runs_once_for_every_number_of_threads) {
    for (int threads = 1; threads <= 4; ++threads) {
        omp_set_num_threads(threads);
        end_rest();
        EXPECT_EQ(max_threads(), threads);
        for (int parts = 1; parts <= 8; ++parts) {
            EXPECT_EQ(count_runs(parts), std::vector<int>(size_t(parts), 1)) << threads << " threads";
            EXPECT_LE(threads_used(parts).size(), size_t(std::min(threads, parts)));
        }
    }
}

constexpr int64_t MS = 1'000'000, HOUR = 3'600'000 * MS;

TEST(parallel, a_team_that_one_thread_would_have_beaten_by_a_millisecond_is_followed_by_a_rest) {
    EXPECT_EQ(rest_after(8'000, 36 * MS, 2), 16 * (36 * MS - 16'000));
    EXPECT_EQ(rest_after(MS, 3 * MS, 2), 0) << "a millisecond is lost";
    EXPECT_EQ(rest_after(MS, 3 * MS + 1, 2), 16 * (MS + 1));
    EXPECT_EQ(rest_after(MS, 4 * MS, 3), 0) << "one thread would have had three parts to do";
    EXPECT_EQ(rest_after(100 * MS, 199 * MS, 2), 0) << "it waited, but was faster than one thread";
    EXPECT_EQ(rest_after(MS, 3 * HOUR, 2), 1000 * MS) << "the process was stopped";
    EXPECT_EQ(rest_after(0, 0, 1), 0);
}

TEST(parallel, teams_rest_and_start_again) {
    omp_set_num_threads(4);
    rest_teams(HOUR);
    EXPECT_EQ(max_threads(), 1);
    EXPECT_EQ(threads_used(4), std::set{gettid()});
    EXPECT_EQ(count_runs(9), std::vector<int>(9, 1));
    const jitnorm_thread_pool_t pool = {nullptr, nullptr, 7};
    {
        const pool_scope callers(&pool);
        EXPECT_EQ(max_threads(), 7) << "a caller's pool has no rest";
    }
    end_rest();
    EXPECT_EQ(max_threads(), 4);
    EXPECT_EQ(threads_used(4).size(), 4u);
}

TEST(parallel, threads_stay_when_fewer_have_work) {
    end_rest();
    omp_set_num_threads(4);
    const std::set<pid_t> before = threads_used(4);
    for (const int parts : {2, 3, 1, 2}) threads_used(parts);
    end_rest();
    EXPECT_EQ(threads_used(4), before);
}

TEST(parallel, fewer_threads_than_asked_for) {
    omp_set_num_threads(4);
    omp_set_dynamic(1); // the runtime may give fewer
    for (int parts = 1; parts <= 8; ++parts) EXPECT_EQ(count_runs(parts), std::vector<int>(size_t(parts), 1));
    omp_set_dynamic(0);
}

// The runtime may give a team of one thread, which OpenMP does not call a parallel region. A part in it is one
// nevertheless: callers have cut scratchpads for parts that start no parallel work.
TEST(parallel, nested_use_is_serial_in_a_team_of_one) {
    omp_set_num_threads(4);
    end_rest();
    const int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
    ASSERT_EQ(max_threads(), 4);
    ASSERT_EQ(threads_used(4), std::set{gettid()});
    std::vector<int> inside;
    parallel_parts(3, [&](int) { inside.push_back(max_threads()); });
    omp_set_max_active_levels(levels);
    EXPECT_EQ(inside, std::vector<int>(3, 1));
    EXPECT_EQ(max_threads(), 4);
}

#else

TEST(parallel, a_serial_build_uses_only_the_caller) {
    EXPECT_EQ(max_threads(), 1);
    EXPECT_EQ(count_runs(8), std::vector<int>(8, 1));
    EXPECT_EQ(threads_used(8), std::set{gettid()});
}

#endif

} // namespace
