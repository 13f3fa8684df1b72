// SPDX-License-Identifier: Apache-2.0
// recent: keeps the objects that front ends have made last, so that a request with the same fingerprint gets the same
// object. The objects are immutable. All objects of one maker have one type.
#pragma once

#include <memory>

#include "fingerprint.hpp"

namespace jitnorm::impl::layer_norm {

// The object that is kept under the fingerprint, or null. Null at verbose level 2, too, because the log then shows how
// everything is chosen. Allocates nothing.
std::shared_ptr<const void> find_recent(const fingerprint &asked);

// Keeps `made`, unless another thread has kept an object under the same fingerprint meanwhile. Returns the object that
// is kept, or `made` if the fingerprint is not whole. Throws std::bad_alloc.
std::shared_ptr<const void> keep_recent(const fingerprint &asked, std::shared_ptr<const void> made);

// At most `capacity` objects are kept; 0 keeps none. Those that were unused for longest are dropped first. An object
// that is dropped lives as long as its users.
void set_recent_capacity(int capacity);
bool keeps_recent();

// The same two functions for objects of one type.
template <typename Made>
std::shared_ptr<const Made> recall(const fingerprint &asked) {
    return std::static_pointer_cast<const Made>(find_recent(asked));
}
template <typename Made>
std::shared_ptr<const Made> keep(const fingerprint &asked, std::shared_ptr<const Made> made) {
    return std::static_pointer_cast<const Made>(keep_recent(asked, std::move(made)));
}

} // namespace jitnorm::impl::layer_norm
