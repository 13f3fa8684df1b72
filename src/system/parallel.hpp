// SPDX-License-Identifier: Apache-2.0
// parallel: the one way this library uses threads: OpenMP's, or those of a pool that the caller has.
#pragma once

#include <type_traits>

#include "dim.hpp"

namespace jitnorm::impl {

// While it lives, the calling thread's parallel regions run on the given pool, which must outlive it; null: on the
// library's own threads. What was before comes back afterwards: a pool may run another execution on a thread that waits
// for its parts.
class threads_of {
public:
    explicit threads_of(const jitnorm_thread_pool_t *pool);
    threads_of(const threads_of &) = delete;
    threads_of &operator=(const threads_of &) = delete;
    ~threads_of();

private:
    const jitnorm_thread_pool_t *before_;
};

// Threads a parallel region started now would get: 1 inside a parallel region, in a serial build or in a process forked
// from one with several threads; the concurrency of the caller's pool where there is one.
int max_threads();

// Runs body(context, part) for part = 0 .. parts-1, each exactly once, on up to `parts` threads, and waits for all.
void run_parts(int parts, void (*body)(void *context, int part), void *context);

template <typename Body> // void(int part); must not throw
void parallel_parts(int parts, Body &&body) {
    if (parts == 1) return body(0);
    using body_type = std::remove_reference_t<Body>;
    run_parts(
        parts, [](void *context, int part) { (*static_cast<body_type *>(context))(part); }, &body);
}

struct range {
    dim_t begin, end;
};

// Part `part` of `parts` of 0..count, cut as evenly as possible.
constexpr range split(dim_t count, int parts, int part) {
    if (parts == 1) return {0, count}; // most of all: spares divisions
    const dim_t share = count / parts, rest = count % parts;
    const dim_t begin = part * share + (part < rest ? part : rest);
    return {begin, begin + share + (part < rest ? 1 : 0)};
}

} // namespace jitnorm::impl
