// SPDX-License-Identifier: Apache-2.0
#include "parallel.hpp"

#ifdef JITNORM_THREADING_OMP
#include <algorithm>

#include <omp.h>
#endif

namespace jitnorm::impl {

namespace {

void run_serially(int parts, void (*body)(void *context, int part), void *context) {
    for (int part = 0; part < parts; ++part) body(context, part);
}

} // namespace

#ifdef JITNORM_THREADING_OMP

int max_threads() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

// The runtime may start fewer threads than asked for: each takes every n-th part of those that did start.
void run_parts(int parts, void (*body)(void *context, int part), void *context) {
    const int threads = std::min(parts, max_threads());
    if (threads <= 1) return run_serially(parts, body, context);
#pragma omp parallel num_threads(threads)
    for (int part = omp_get_thread_num(); part < parts; part += omp_get_num_threads()) body(context, part);
}

#else

int max_threads() { return 1; }

void run_parts(int parts, void (*body)(void *context, int part), void *context) { run_serially(parts, body, context); }

#endif

} // namespace jitnorm::impl
