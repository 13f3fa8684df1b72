// SPDX-License-Identifier: Apache-2.0
// failure: how functions of this front end report failures. Inside the front end they return a status or throw. The C
// interface turns this into one of Ascend's status numbers, the thread's recent error and a line in the verbose log.
#pragma once

#include "../../base/status.hpp"
#include "jitnorm/jitnorm_aclnn.h"

namespace jitnorm::impl::aclnn {

using acl_status = basic_status<jitnorm_acl_status_t>;
static_assert(JITNORM_ACLNN_SUCCESS == 0);

constexpr acl_status null_pointer(const char *reason) { return {JITNORM_ACLNN_ERR_PARAM_NULLPTR, reason}; }
constexpr acl_status invalid(const char *reason) { return {JITNORM_ACLNN_ERR_PARAM_INVALID, reason}; }

constexpr acl_status tiling(const char *reason) { return {JITNORM_ACLNN_ERR_INNER_TILING, reason}; }

// The core's status with Ascend's number.
acl_status translate(status s);

// Returns the status's number. Keeps the reason of a failure for the thread (status.hpp) and logs it under the
// function's name.
jitnorm_acl_status_t answer(const char *function, acl_status result) noexcept;

// The status for the exception that is being handled, whose text the reason may be.
[[gnu::cold]] acl_status status_of_exception() noexcept;

// Answers with the status that `body` returns or the exception that it throws.
template <typename Body>
jitnorm_acl_status_t answer_from(const char *function, Body &&body) noexcept {
    try {
        return answer(function, body());
    } catch (...) {
        return answer(function, status_of_exception());
    }
}

} // namespace jitnorm::impl::aclnn
