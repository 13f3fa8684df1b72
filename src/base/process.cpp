// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <pthread.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace jitnorm::impl {

constinit std::mutex process_lock;
constinit std::atomic<unsigned> forks = 0;
constinit std::atomic<bool> threads_were_lost = false;

namespace {

constinit bool forking_with_threads = false; // process_lock protects it

void before_fork() {
    process_lock.lock();
#if __has_include(<sys/single_threaded.h>)
    forking_with_threads = __libc_single_threaded == 0;
#else
    forking_with_threads = true; // the C library does not know
#endif
}

void after_fork_in_parent() { process_lock.unlock(); }

void after_fork_in_child() {
    forks.fetch_add(1, std::memory_order_relaxed);
    if (forking_with_threads) threads_were_lost.store(true, std::memory_order_relaxed);
    process_lock.unlock();
}

// Runs when the library is loaded, before the constructors of static objects, when no thread can hold the lock yet. A
// failure is ignored: a system that has no memory for this has none for a fork either.
[[gnu::constructor(101)]] void watch_forks() { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

} // namespace
} // namespace jitnorm::impl
