// SPDX-License-Identifier: Apache-2.0
// lru_cache: values that are found by their keys. When there are more of them than the capacity, those that were unused
// for longest (least recently used) are dropped.
#pragma once

#include <atomic>
#include <cstddef>
#include <iterator>
#include <list>
#include <utility>

namespace jitnorm::impl {

// Map<T> is std::map or std::unordered_map from a type of keys to T. Callers guard the object by a lock, except for
// capacity(). The functions that drop values return them, so that the caller can destroy them after it has released the
// lock: destructors of values may take it.
template <typename Value, template <typename> typename Map>
class lru_cache {
public:
    using key = typename Map<int>::key_type;
    struct entry {
        const key *name; // in the map
        Value value;
    };
    using entries = std::list<entry>;

    // The value, which counts as used now, or null. The pointer is valid until the value is dropped.
    template <typename Sought>
    Value *find(const Sought &sought) {
        const auto found = by_key_.find(sought);
        if (found == by_key_.end()) return nullptr;
        all_.splice(all_.begin(), all_, found->second);
        return &found->second->value;
    }

    // There must be no value for the key. Throws std::bad_alloc; the cache is unchanged then.
    [[nodiscard]] entries insert(key name, Value value) {
        entries one;
        one.push_back({nullptr, std::move(value)});
        one.front().name = &by_key_.emplace(std::move(name), one.begin()).first->first;
        all_.splice(all_.begin(), one);
        return evict();
    }

    // Drops the value for the key, if there is one.
    [[nodiscard]] entries erase(const key &name) {
        entries gone;
        const auto found = by_key_.find(name);
        if (found == by_key_.end()) return gone;
        gone.splice(gone.begin(), all_, found->second);
        by_key_.erase(found);
        return gone;
    }

    // 0: keeps nothing.
    [[nodiscard]] entries set_capacity(size_t capacity) {
        capacity_.store(capacity, std::memory_order_relaxed);
        return evict();
    }
    size_t capacity() const { return capacity_.load(std::memory_order_relaxed); }

private:
    entries evict() {
        entries gone;
        while (by_key_.size() > capacity()) {
            const auto last = std::prev(all_.end());
            by_key_.erase(by_key_.find(*last->name));
            gone.splice(gone.begin(), all_, last);
        }
        return gone;
    }

    entries all_; // the one that was used last comes first
    Map<typename entries::iterator> by_key_;
    std::atomic<size_t> capacity_ = 1024;
};

} // namespace jitnorm::impl
