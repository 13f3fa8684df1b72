// SPDX-License-Identifier: Apache-2.0
// verdict: a status and, unless it is success, the reason in plain words.
#pragma once

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

struct verdict {
    jitnorm_status_t status = jitnorm_success;
    const char *reason = ""; // static, or explain()'s (last_error.hpp)

    bool failed() const { return status != jitnorm_success; }
};

constexpr verdict ACCEPTED = {};
constexpr verdict invalid(const char *reason) { return {jitnorm_invalid_arguments, reason}; } // it has no meaning
constexpr verdict unsupported(const char *reason) { return {jitnorm_unimplemented, reason}; } // nobody does it

} // namespace jitnorm::impl
