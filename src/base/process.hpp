// SPDX-License-Identifier: Apache-2.0
// process: the one lock of the process, and what the library has to know in a process that fork() has made.
#pragma once

#include <atomic>
#include <mutex>

namespace jitnorm::impl {

// The lock for everything that the whole process shares. It is held for look-ups, never while kernels are generated or
// primitives execute. fork() waits for it, so that in the child the lock is free and no data behind it is half changed.
extern std::mutex process_lock;

// The number of forks between the process that loaded the library and this one. Work that another thread began when the
// number was smaller will never be finished here, because a child has only the thread that called fork().
extern std::atomic<unsigned> forks;

// Whether this process was forked from one that had several threads. Then OpenMP's threads may be missing here, and
// GCC's runtime would wait for them forever.
extern std::atomic<bool> threads_were_lost;

} // namespace jitnorm::impl
