// SPDX-License-Identifier: Apache-2.0
#include "object_cache.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "../base/lru_cache.hpp"
#include "../base/process_wide.hpp"
#include "../base/verbose.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// The words of a cache key with their hash, which is computed before the lock is taken.
template <typename Words>
struct hashed {
    uint64_t hash;
    Words words;
};
using kept_key = hashed<std::vector<uint64_t>>;
using sought_key = hashed<std::span<const uint64_t>>;

// Functions of std::unordered_map that take either type of key, so that a look-up need not copy words.
struct hash_of {
    using is_transparent = void;
    size_t operator()(const auto &key) const noexcept { return size_t(key.hash); }
};
struct are_equal {
    using is_transparent = void;
    bool operator()(const auto &a, const auto &b) const { return std::ranges::equal(a.words, b.words); }
};
template <typename T>
using map = std::unordered_map<kept_key, T, hash_of, are_equal>;

using objects = lru_cache<std::shared_ptr<const void>, map>;

constinit process_wide<objects> shared; // guarded by process_lock

} // namespace

std::shared_ptr<const void> find_object(const cache_key &key) {
    if (!key.is_whole() || verbose_level() >= 2) return nullptr;
    objects &all = shared.get();
    const sought_key sought = {key.hash(), key.words()};
    const std::lock_guard lock(process_lock);
    const auto *found = all.find(sought);
    return found != nullptr ? *found : nullptr;
}

std::shared_ptr<const void> cache_object(const cache_key &key, std::shared_ptr<const void> made) {
    if (!key.is_whole()) return made;
    objects &all = shared.get();
    const auto words = key.words();
    kept_key kept = {key.hash(), {words.begin(), words.end()}};
    objects::entries gone;
    const std::lock_guard lock(process_lock);
    if (const auto *other = all.find(kept)) return *other;
    gone = all.insert(std::move(kept), made);
    return made;
}

void set_object_cache_capacity(int capacity) {
    objects &all = shared.get();
    objects::entries gone;
    const std::lock_guard lock(process_lock);
    gone = all.set_capacity(size_t(std::max(capacity, 0)));
}

bool caches_objects() { return shared.get().capacity() != 0; }

} // namespace jitnorm::impl::layer_norm
