// SPDX-License-Identifier: Apache-2.0
#include "parallel.hpp"

#ifdef JITNORM_THREADING_OMP
#include <omp.h>

#include "process.hpp"
#include "thread_state.hpp"
#endif

namespace jitnorm::impl {

thread_local constinit const jitnorm_thread_pool_t *current_pool = nullptr;

namespace {

// The pool for a thread that runs a part: it has no other threads, so that parts do not start parallel work.
constexpr jitnorm_thread_pool_t ITSELF = {nullptr, nullptr, 1};

void run_serially(int parts, void (*body)(void *context, int part), void *context) {
    for (int part = 0; part < parts; ++part) body(context, part);
}

struct part_body {
    void (*body)(void *context, int part);
    void *context;
};

void run_one_part(void *argument, int part) {
    const threads_of alone(&ITSELF);
    const auto *what = static_cast<const part_body *>(argument);
    what->body(what->context, part);
}

void run_on(const jitnorm_thread_pool_t &pool, int parts, void (*body)(void *context, int part), void *context) {
    if (parts <= 1 || pool.concurrency == 1) return run_serially(parts, body, context);
    part_body what = {body, context};
    pool.parallel_for(pool.context, parts, run_one_part, &what);
}

#ifdef JITNORM_THREADING_OMP

int max_own_threads() {
    const bool alone = this_thread_ends() || threads_were_lost.load(std::memory_order_relaxed) || omp_in_parallel();
    return alone ? 1 : omp_get_max_threads();
}

// A team always has all threads, whatever the number of parts, as those of other OpenMP code in the process have:
// libgomp ends the threads that a smaller team does not need, and starts others when a larger one follows, which takes
// 50 to 100 microseconds for each of them. The runtime may start fewer threads than it is asked for. Each of the n
// threads that run takes every n-th part.
void run_on_own_threads(int parts, void (*body)(void *context, int part), void *context) {
    if (parts <= 1 || max_own_threads() == 1) return run_serially(parts, body, context);
#pragma omp parallel
    for (int part = omp_get_thread_num(); part < parts; part += omp_get_num_threads()) body(context, part);
}

#else

int max_own_threads() { return 1; }

void run_on_own_threads(int parts, void (*body)(void *context, int part), void *context) {
    run_serially(parts, body, context);
}

#endif

} // namespace

int max_threads() { return current_pool != nullptr ? current_pool->concurrency : max_own_threads(); }

void run_parts(int parts, void (*body)(void *context, int part), void *context) {
    if (current_pool != nullptr) return run_on(*current_pool, parts, body, context);
    run_on_own_threads(parts, body, context);
}

} // namespace jitnorm::impl
