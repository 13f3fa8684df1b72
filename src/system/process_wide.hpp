// SPDX-License-Identifier: Apache-2.0
// process_wide: an object that the whole process shares, in place of static variables with a constructor or destructor.
#pragma once

#include <atomic>
#include <new>

#include "process.hpp"
#include "uncancellable.hpp"

namespace jitnorm::impl {

// For constinit variables. The object is made at its first use, which may come before main(), and never destroyed: exit
// handlers and destructors of static objects may use the library last of all. A fork cannot leave it half made. Its
// constructor must not ask for another such object, nor take the process's lock.
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
