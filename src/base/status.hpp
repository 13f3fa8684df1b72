// SPDX-License-Identifier: Apache-2.0
// status: what a function of a front end or of the core returns if it may fail.
#pragma once

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

// A front end's number for success or a kind of failure and, unless it is success, the reason in plain words.
template <typename Code> // 0 is success
struct basic_status {
    Code code = {};
    const char *reason = ""; // a literal, or text that explain() made (last_error.hpp)

    bool failed() const { return code != Code{}; }
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
// What is asked for has no meaning.
constexpr status invalid(const char *reason) { return {jitnorm_invalid_arguments, reason}; }
// What is asked for has a meaning, but no implementation does it.
constexpr status unsupported(const char *reason) { return {jitnorm_unimplemented, reason}; }

} // namespace jitnorm::impl
