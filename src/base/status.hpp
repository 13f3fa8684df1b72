// SPDX-License-Identifier: Apache-2.0
// status: the result of a function that may fail, in a front end or in the library behind it; the reason in words; and
// the last error of each thread. These functions allocate nothing except the thread's state at its first use, because
// reasons are needed when memory is out, too.
#pragma once

#include <string_view>

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

// A front end's number for success or a kind of failure and, unless it is success, the reason in plain words.
template <typename Code> // 0 is success
struct basic_status {
    Code code = {};
    const char *reason = ""; // a literal, or text that explain() made

    bool failed() const { return code != Code{}; }
    bool operator==(Code other) const { return code == other; }
};

using status = basic_status<jitnorm_status_t>;
static_assert(jitnorm_success == 0);

// Evaluates the expression once. If its status is a failure, the function around it returns this status.
// It is one statement: if (is_given) JITNORM_TRY(check(x));
#define JITNORM_TRY(...)                                                                                               \
    do {                                                                                                               \
        if (const auto jitnorm_tried = __VA_ARGS__; jitnorm_tried.failed()) return jitnorm_tried;                      \
    } while (false)

constexpr status ACCEPTED = {};
// The request has no meaning.
constexpr status invalid(const char *reason) { return {jitnorm_invalid_arguments, reason}; }
// The request has a meaning, but no implementation for it.
constexpr status unsupported(const char *reason) { return {jitnorm_unimplemented, reason}; }

// Formats a reason, for status::reason. The text lives until the thread's next call of explain(). If the thread cannot
// have a state, the result is a text that says so.
[[gnu::format(printf, 1, 2)]] const char *explain(const char *format, ...) noexcept;

// Names that a reason lists: "one, another".
class name_list {
public:
    void add(const char *name) noexcept;
    const char *text() const { return text_; }

private:
    char text_[256] = {};
    size_t size_ = 0;
};

// Keeps the reason as the thread's last error; `code` is the status in the spelling of the front end.
void remember_error(const char *function, std::string_view code, const char *reason) noexcept;

// The reason of the last error; empty if no call of the thread has failed.
const char *last_reason() noexcept;

// The last error as "<function>: <status>: <reason>". Each error is returned once: null if there is no new one.
const char *take_last_error() noexcept;

} // namespace jitnorm::impl
