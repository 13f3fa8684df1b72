// SPDX-License-Identifier: Apache-2.0
// last_error: the reason, in words, for which the calling thread's last failed call failed. These functions allocate
// nothing except the thread's state at its first use, because reasons are needed when memory is out, too.
#pragma once

#include <string_view>

namespace jitnorm::impl {

// Formats a reason, for status::reason. The text lives until the thread's next call of explain(). If the thread cannot
// have a state, the result is a text that says so.
[[gnu::format(printf, 1, 2)]] const char *explain(const char *format, ...) noexcept;

// Keeps the reason as the thread's last error; `status` is the status in the spelling of the front end.
void remember_error(const char *function, std::string_view status, const char *reason) noexcept;

// The reason of the last error; empty if no call of the thread has failed.
const char *last_reason() noexcept;

// The last error as "<function>: <status>: <reason>". Each error is returned once: null if there is no new one.
const char *take_last_error() noexcept;

} // namespace jitnorm::impl
