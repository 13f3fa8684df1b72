// SPDX-License-Identifier: Apache-2.0
// object_cache: keeps the objects that front ends have made last, so that a request with the same cache key gets the
// same object. The objects are immutable. All objects of one maker have one type.
#pragma once

#include <memory>

#include "cache_key.hpp"

namespace jitnorm::impl::layer_norm {

// The object that is cached under the key, or null. Null at verbose level 2, too, because the log then shows how
// everything is chosen. Allocates nothing.
std::shared_ptr<const void> find_object(const cache_key &key);

// Caches `made`, unless another thread has cached an object under the same key meanwhile. Returns the object that is
// cached, or `made` if the key is not whole. Throws std::bad_alloc.
std::shared_ptr<const void> cache_object(const cache_key &key, std::shared_ptr<const void> made);

// At most `capacity` objects are cached; 0 caches none. Those that were unused for longest are dropped first. An object
// that is dropped lives as long as its users.
void set_object_cache_capacity(int capacity);
bool caches_objects();

// The same two functions for objects of one type.
template <typename Made>
std::shared_ptr<const Made> find_cached(const cache_key &key) {
    return std::static_pointer_cast<const Made>(find_object(key));
}
template <typename Made>
std::shared_ptr<const Made> cache(const cache_key &key, std::shared_ptr<const Made> made) {
    return std::static_pointer_cast<const Made>(cache_object(key, std::move(made)));
}

} // namespace jitnorm::impl::layer_norm
