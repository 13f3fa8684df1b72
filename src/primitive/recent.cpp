// SPDX-License-Identifier: Apache-2.0
#include "recent.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <unordered_map>
#include <vector>

#include "../system/process_wide.hpp"
#include "../system/verbose.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

struct entry {
    uint64_t hash;
    std::vector<uint64_t> words;
    std::shared_ptr<const void> made;
};

// The one that was used last comes first.
using entries = std::list<entry>;

// Callers hold process_lock, except for capacity(). The functions that drop entries return them, so that the caller can
// destroy them after it has released the lock.
class cache {
public:
    std::shared_ptr<const void> find(const fingerprint &asked, uint64_t hash) {
        const auto [first, last] = by_hash_.equal_range(hash);
        for (auto candidate = first; candidate != last; ++candidate) {
            const entries::iterator found = candidate->second;
            if (!std::ranges::equal(found->words, asked.words())) continue;
            all_.splice(all_.begin(), all_, found);
            return found->made;
        }
        return nullptr;
    }

    // Inserts the entry that is in the list `one`.
    entries insert(entries one) {
        by_hash_.emplace(one.front().hash, one.begin());
        all_.splice(all_.begin(), one);
        return evict();
    }

    entries set_capacity(size_t capacity) {
        capacity_.store(capacity, std::memory_order_relaxed);
        return evict();
    }
    size_t capacity() const { return capacity_.load(std::memory_order_relaxed); }

private:
    entries evict() {
        entries gone;
        while (by_hash_.size() > capacity()) {
            const auto last = std::prev(all_.end());
            const auto [first, end] = by_hash_.equal_range(last->hash);
            by_hash_.erase(std::find_if(first, end, [&](const auto &named) { return named.second == last; }));
            gone.splice(gone.begin(), all_, last);
        }
        return gone;
    }

    entries all_;
    std::unordered_multimap<uint64_t, entries::iterator> by_hash_;
    std::atomic<size_t> capacity_ = 1024;
};

constinit process_wide<cache> shared;

} // namespace

std::shared_ptr<const void> find_recent(const fingerprint &asked) {
    if (!asked.is_whole() || verbose_level() >= 2) return nullptr;
    cache &all = shared.get();
    const uint64_t hash = asked.hash();
    const std::lock_guard lock(process_lock);
    return all.find(asked, hash);
}

std::shared_ptr<const void> keep_recent(const fingerprint &asked, std::shared_ptr<const void> made) {
    if (!asked.is_whole()) return made;
    cache &all = shared.get();
    const auto words = asked.words();
    entries one, gone;
    one.push_back({asked.hash(), {words.begin(), words.end()}, made});
    const std::lock_guard lock(process_lock);
    if (auto other = all.find(asked, one.front().hash)) return other;
    gone = all.insert(std::move(one));
    return made;
}

void set_recent_capacity(int capacity) {
    cache &all = shared.get();
    entries gone;
    const std::lock_guard lock(process_lock);
    gone = all.set_capacity(size_t(std::max(capacity, 0)));
}

bool keeps_recent() { return shared.get().capacity() != 0; }

} // namespace jitnorm::impl::layer_norm
