// SPDX-License-Identifier: Apache-2.0
// verdict: a status and, unless it is success, the reason in plain words.
#pragma once

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

struct verdict {
    jitnorm_status_t status = jitnorm_success;
    const char *reason = ""; // a literal, or text that explain() made (last_error.hpp)

    bool failed() const { return status != jitnorm_success; }
};

// Evaluates the expression once. If its status is a failure, the function around it returns this status with its
// reason. It is one statement: if (is_given) JITNORM_TRY(check(x));
#define JITNORM_TRY(...)                                                                                               \
    do {                                                                                                               \
        if (const auto jitnorm_tried = __VA_ARGS__; jitnorm_tried.failed()) return jitnorm_tried;                      \
    } while (false)

constexpr verdict ACCEPTED = {};
// What is asked for has no meaning.
constexpr verdict invalid(const char *reason) { return {jitnorm_invalid_arguments, reason}; }
// What is asked for has a meaning, but no implementation does it.
constexpr verdict unsupported(const char *reason) { return {jitnorm_unimplemented, reason}; }

} // namespace jitnorm::impl
