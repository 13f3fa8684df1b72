// SPDX-License-Identifier: Apache-2.0
// thread_scratchpad: the scratchpad that the library owns. One buffer for each executing thread, shared by all
// primitives, so that several threads may execute one primitive at once without a lock. It grows when a thread first
// needs more than before and is freed when the thread ends; in a steady state nothing is allocated.
#pragma once

#include <cstddef>

namespace jitnorm::impl::api {

// The calling thread's buffer, of at least `bytes`, aligned to 64; null when memory is out. What it held is lost.
void *thread_scratchpad(size_t bytes) noexcept;

} // namespace jitnorm::impl::api
