// SPDX-License-Identifier: Apache-2.0
// process: the one lock of the process, and what a child made by fork() has to know.
#pragma once

#include <atomic>
#include <mutex>

namespace jitnorm::impl {

// For everything that the whole process shares. It is held for look-ups, never while kernels are generated or
// primitives execute. fork() waits for it: a child finds it free, and what it protects whole.
extern std::mutex process_lock;

// Counts the forks between the process that loaded the library and this one. What another thread began under a smaller
// number nobody will finish here: a child has no thread but the one that forked.
extern std::atomic<unsigned> forks;

// Whether the process that forked this one had several threads. OpenMP's, if any, did not come along, but GCC's runtime
// would wait for them.
extern std::atomic<bool> threads_were_lost;

} // namespace jitnorm::impl
