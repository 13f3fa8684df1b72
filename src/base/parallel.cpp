// SPDX-License-Identifier: Apache-2.0
#include "parallel.hpp"

#ifdef JITNORM_THREADING_OMP
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
    const threads_of scope(&ITSELF);
    const auto *what = static_cast<const part_body *>(argument);
    what->body(what->context, part);
}

void run_serially(int parts, part_body &what) {
    for (int part = 0; part < parts; ++part) run_one_part(&what, part);
}

void run_on(const jitnorm_thread_pool_t &pool, int parts, part_body &what) {
    if (pool.concurrency == 1) return run_serially(parts, what);
    pool.parallel_for(pool.context, parts, run_one_part, &what);
}

#ifdef JITNORM_THREADING_OMP

// OpenMP takes all processors where nobody says otherwise. In a container with a quota for fewer of them its threads
// would use up the quota by spinning, and all would stop until the next period.
int threads_of_openmp() {
    const int all = omp_get_max_threads(), granted = the_environment().processors;
    return all > granted && all == omp_get_num_procs() ? granted : all;
}

int max_own_threads() {
    const bool starts_none =
        this_thread_ends() || threads_were_lost.load(std::memory_order_relaxed) || omp_in_parallel();
    return starts_none ? 1 : threads_of_openmp();
}

// A team always has all threads that there may be, whatever the number of parts, as those of other OpenMP code in the
// process have: libgomp ends the threads that a smaller team does not need, and starts others when a larger one
// follows, which takes 50 to 100 microseconds for each of them. The runtime may start fewer threads than it is asked
// for, even a single one: then OpenMP does not say that a part is in a parallel region, but run_one_part() does. Each
// of the n threads that run takes every n-th part.
void run_on_own_threads(int parts, part_body &what) {
    const int team = max_own_threads();
    if (team == 1) return run_serially(parts, what);
#pragma omp parallel num_threads(team)
    for (int part = omp_get_thread_num(); part < parts; part += omp_get_num_threads()) run_one_part(&what, part);
}

#else

int max_own_threads() { return 1; }

void run_on_own_threads(int parts, part_body &what) { run_serially(parts, what); }

#endif

} // namespace

int max_threads() { return current_pool != nullptr ? current_pool->concurrency : max_own_threads(); }

void run_parts(int parts, void (*body)(void *context, int part), void *context) {
    part_body what = {body, context};
    if (parts <= 1) return run_serially(parts, what);
    current_pool != nullptr ? run_on(*current_pool, parts, what) : run_on_own_threads(parts, what);
}

} // namespace jitnorm::impl
