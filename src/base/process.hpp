// SPDX-License-Identifier: Apache-2.0
// process: what all threads share: the one lock of the process, objects that it guards, the number of forks, and a
// scope in which no thread is cancelled.
#pragma once

#include <atomic>
#include <mutex>
#include <new>

#include <pthread.h>

namespace jitnorm::impl {

// The lock for everything that the whole process shares. It is held for look-ups, never while kernels are generated or
// primitives execute. fork() waits for it: in the child the lock is free and no data that it guards is half changed.
extern std::mutex process_lock;

// The number of forks between the process that loaded the library and this one. Work that another thread began when the
// number was smaller will never be finished here, because a child has only the thread that called fork().
extern std::atomic<unsigned> forks;

// Whether this process was forked from one that had several threads. Then OpenMP's threads may be missing here, and
// GCC's runtime would wait for them forever.
extern std::atomic<bool> threads_were_lost;

// While such an object lives, a pthread_cancel() of the calling thread has no effect yet. All code that opens or writes
// files has one: there a cancelled thread ends by an exception, and none may leave the C interface.
class uncancellable {
public:
    uncancellable() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    uncancellable(const uncancellable &) = delete;
    uncancellable &operator=(const uncancellable &) = delete;
    ~uncancellable() { pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

// An object that the whole process shares. It takes the place of static variables with a constructor or a destructor.
// Declare such a variable constinit. The object is made at its first use, which may come before main(). It is never
// destroyed, because exit handlers and destructors of static objects may still use the library. A fork cannot leave it
// half made. Its constructor must not use another process_wide object and must not take process_lock.
template <typename Object>
class process_wide {
public:
    constexpr process_wide() = default;
    process_wide(const process_wide &) = delete;
    process_wide &operator=(const process_wide &) = delete;

    Object &get() {
        Object *made = made_.load(std::memory_order_acquire);
        return made != nullptr ? *made : make();
    }

private:
    [[gnu::noinline]] Object &make() {
        const uncancellable scope;
        const std::lock_guard lock(process_lock);
        if (Object *made = made_.load(std::memory_order_relaxed)) return *made;
        auto *object = new (memory_) Object();
        made_.store(object, std::memory_order_release);
        return *object;
    }

    alignas(Object) unsigned char memory_[sizeof(Object)] = {};
    std::atomic<Object *> made_ = nullptr;
};

} // namespace jitnorm::impl
