// SPDX-License-Identifier: Apache-2.0
// parallel: runs work on several threads, of OpenMP or of the caller's pool. No other code of the library uses threads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "bytes.hpp"

namespace jitnorm::impl {

// The pool on which the thread's parallel work runs; null: the library's own threads. It is in static thread storage,
// because every execution reads it several times. There is room for a pointer even when the library is loaded late.
[[gnu::tls_model("initial-exec")]] extern thread_local constinit const jitnorm_thread_pool_t *current_pool;

// While this object lives, parallel work that the calling thread starts runs on the given pool, or on the library's own
// threads if `pool` is null. The pool must live as long as the object. Afterwards the thread's former choice is in
// force again, because a pool may run another execution on a thread that waits for the parts of its own.
class pool_scope {
public:
    explicit pool_scope(const jitnorm_thread_pool_t *pool) : before_(current_pool) { current_pool = pool; }
    pool_scope(const pool_scope &) = delete;
    pool_scope &operator=(const pool_scope &) = delete;
    ~pool_scope() { current_pool = before_; }

private:
    const jitnorm_thread_pool_t *before_;
};

// How many threads run_parts() would use now at the most: the concurrency of a caller's pool, otherwise OpenMP's number
// of threads, unless a container grants fewer and nobody has set it; but 1 in a parallel region of several threads, for
// a moment after teams have waited for busy cores, in a build without OpenMP, in a thread that ends, in a process that
// was forked from one with several threads, and within a part, whichever threads run the parts.
int max_threads();

// For how many nanoseconds to start no team after one of OpenMP's has taken `whole`, in which the calling thread was
// ready with its own part, one of `sharers`, after `own`. 0 unless one thread would have been faster by more than a
// millisecond: then another program has the core of a thread that this one waits for. The rest is 16 times the lost
// time and at most a second, so that such waits take about a sixteenth of the time. There is no rest if the environment
// says how OpenMP's threads wait.
int64_t rest_after(int64_t own, int64_t whole, int sharers);

// For so long max_threads() is 1 on the library's own threads, in the whole process.
void rest_teams(int64_t nanoseconds);

// Runs body(context, part) once for each part = 0 .. parts-1, on at most `parts` threads, and waits for all of them.
void run_parts(int parts, void (*body)(void *context, int part), void *context);

// The same. A single part may itself start parallel work.
template <typename Body> // void(int part); must not throw
void parallel_parts(int parts, Body &&body) {
    if (parts == 1) return body(0);
    using body_type = std::remove_reference_t<Body>;
    run_parts(
        parts, [](void *context, int part) { (*static_cast<body_type *>(context))(part); }, &body);
}

} // namespace jitnorm::impl
