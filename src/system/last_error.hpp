// SPDX-License-Identifier: Apache-2.0
// last_error: why the calling thread's last failed call failed, in words. Nothing here allocates but the thread's
// state, where it has none yet: reasons are wanted when memory is out, too.
#pragma once

#include <string_view>

namespace jitnorm::impl {

// For a reason that a verdict points to: the formatted text, which stays until the thread's next one. Of a thread that
// has no state, and cannot have one, a text that says so.
[[gnu::format(printf, 1, 2)]] const char *explain(const char *format, ...) noexcept;

// Keeps the reason for the thread; `status` is how the front end spells the status.
void remember_error(const char *function, std::string_view status, const char *reason) noexcept;

// The reason that was kept last; empty where there is none.
const char *last_reason() noexcept;

// The whole of it, "<function>: <status>: <reason>", once; null where there is nothing new.
const char *take_last_error() noexcept;

} // namespace jitnorm::impl
