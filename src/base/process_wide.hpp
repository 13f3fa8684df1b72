// SPDX-License-Identifier: Apache-2.0
// process_wide: an object that the whole process shares. It takes the place of static variables with a constructor or
// a destructor.
#pragma once

#include <atomic>
#include <new>

#include "process.hpp"
#include "uncancellable.hpp"

namespace jitnorm::impl {

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
