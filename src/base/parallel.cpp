// SPDX-License-Identifier: Apache-2.0
#include "parallel.hpp"

#ifdef JITNORM_THREADING_OMP
#include <algorithm>
#include <ctime>

#include <omp.h>

#include "environment.hpp"
#include "process.hpp"
#include "thread_state.hpp"
#endif

namespace jitnorm::impl {

thread_local constinit const jitnorm_thread_pool_t *current_pool = nullptr;

namespace {

// The pool for a thread that runs a part: it has no other threads, so that parts do not start parallel work.
constexpr jitnorm_thread_pool_t ITSELF = {nullptr, nullptr, 1};

struct part_body {
    void (*body)(void *context, int part);
    void *context;
};

void run_one_part(void *argument, int part) {
    const pool_scope scope(&ITSELF);
    const auto *what = static_cast<const part_body *>(argument);
    what->body(what->context, part);
}

void run_serially(int parts, part_body &what) {
    for (int part = 0; part < parts; ++part) run_one_part(&what, part);
}

#ifdef JITNORM_THREADING_OMP

// ---- Busy cores. A team ends with its last thread, which waits for milliseconds if other programs keep its core.

int64_t clock_ns() { // in nanoseconds; no system call where the processor's counter is the system's clock
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

constinit std::atomic<int64_t> rest_ends = 0; // when teams start again; 0: there is no rest

bool teams_rest() {
    const int64_t end = rest_ends.load(std::memory_order_relaxed);
    if (end == 0) return false;
    if (clock_ns() < end) return true;
    rest_ends.store(0, std::memory_order_relaxed);
    return false;
}

// ---- Teams

// OpenMP takes all processors where nobody says otherwise. In a container with a quota for fewer of them its threads
// would use up the quota by spinning, and all would stop until the next period.
int threads_of_openmp() {
    const int all = omp_get_max_threads(), granted = the_environment().processors;
    return all > granted && all == omp_get_num_procs() ? granted : all;
}

int max_own_threads() {
    const bool starts_none =
        this_thread_ends() || threads_were_lost.load(std::memory_order_relaxed) || omp_in_parallel() || teams_rest();
    return starts_none ? 1 : threads_of_openmp();
}

// A team always has the largest number of threads, whatever the number of parts, as teams of other OpenMP code in the
// process do: libgomp ends the threads that a smaller team does not need, and starts others when a larger one follows,
// which takes 50 to 100 microseconds for each. The runtime may start fewer threads, even a single one: then OpenMP does
// not say that a part is in a parallel region, but run_one_part() does. Each of the n threads takes every n-th part.
void run_on_own_threads(int parts, part_body &what) {
    const int team = max_own_threads();
    if (team == 1) return run_serially(parts, what);
    const int64_t begin = clock_ns();
    int64_t own_end = begin;
#pragma omp parallel num_threads(team)
    {
        for (int part = omp_get_thread_num(); part < parts; part += omp_get_num_threads()) run_one_part(&what, part);
        if (omp_get_thread_num() == 0) own_end = clock_ns();
    }
    const int64_t rest = rest_after(own_end - begin, clock_ns() - begin, std::min(team, parts));
    if (rest > 0 && !the_environment().waiting_is_chosen) rest_teams(rest);
}

#else

int max_own_threads() { return 1; }

void run_on_own_threads(int parts, part_body &what) { run_serially(parts, what); }

#endif

} // namespace

#ifdef JITNORM_THREADING_OMP

int64_t rest_after(int64_t own, int64_t whole, int sharers) {
    constexpr int64_t STALL = 1'000'000, RESTS = 16, LONGEST = 1'000'000'000;
    const int64_t lost = whole - own * sharers;
    return lost > STALL ? std::min(lost * RESTS, LONGEST) : 0;
}

void rest_teams(int64_t nanoseconds) { rest_ends.store(clock_ns() + nanoseconds, std::memory_order_relaxed); }

#endif

int max_threads() { return current_pool != nullptr ? current_pool->concurrency : max_own_threads(); }

void run_parts(int parts, void (*body)(void *context, int part), void *context) {
    part_body what = {body, context};
    const jitnorm_thread_pool_t *const pool = current_pool;
    if (parts <= 1 || (pool != nullptr && pool->concurrency == 1)) return run_serially(parts, what);
    pool != nullptr ? pool->parallel_for(pool->context, parts, run_one_part, &what) : run_on_own_threads(parts, what);
}

} // namespace jitnorm::impl
