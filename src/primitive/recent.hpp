// SPDX-License-Identifier: Apache-2.0
// recent: what front ends have made last, by its fingerprint, for those who ask for the same again. It is immutable to
// all who share it, and of one type for each maker.
#pragma once

#include <memory>

#include "fingerprint.hpp"

namespace jitnorm::impl::layer_norm {

// What was kept under the fingerprint; null where nothing is, and where the log is to tell how everything is chosen
// (verbose level 2). Allocates nothing.
std::shared_ptr<const void> find_recent(const fingerprint &asked);

// Keeps what was made, unless another thread has kept the same meanwhile; answers what is shared from now on. Throws
// std::bad_alloc.
std::shared_ptr<const void> keep_recent(const fingerprint &asked, std::shared_ptr<const void> made);

// Kept at the most; what was unused for longest goes first, and lives on with its users.
void set_recent_capacity(int capacity); // 0: keep none
bool keeps_recent();

template <typename Made>
std::shared_ptr<const Made> recall(const fingerprint &asked) {
    return std::static_pointer_cast<const Made>(find_recent(asked));
}
template <typename Made>
std::shared_ptr<const Made> keep(const fingerprint &asked, std::shared_ptr<const Made> made) {
    return std::static_pointer_cast<const Made>(keep_recent(asked, std::move(made)));
}

} // namespace jitnorm::impl::layer_norm
