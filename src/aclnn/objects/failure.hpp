// SPDX-License-Identifier: Apache-2.0
// failure: how functions of this front end report failures. Inside the front end they return an outcome or throw. The C
// interface turns this into one of Ascend's status numbers, the thread's recent error and a line in the verbose log.
#pragma once

#include <exception>
#include <new>
#include <system_error>

#include "../../core/problem.hpp"
#include "jitnorm/jitnorm_aclnn.h"

namespace jitnorm::impl::aclnn {

struct outcome {
    jitnorm_acl_status_t status = JITNORM_ACLNN_SUCCESS;
    const char *reason = ""; // a static string, or the result of explain()

    bool failed() const { return status != JITNORM_ACLNN_SUCCESS; }
};

constexpr outcome null_pointer(const char *reason) { return {JITNORM_ACLNN_ERR_PARAM_NULLPTR, reason}; }
constexpr outcome invalid(const char *reason) { return {JITNORM_ACLNN_ERR_PARAM_INVALID, reason}; }

constexpr outcome tiling(const char *reason) { return {JITNORM_ACLNN_ERR_INNER_TILING, reason}; }

// The outcome with Ascend's number for the core's verdict.
outcome translate(verdict v);

// Returns the outcome's status. Keeps the reason of a failure for the thread (last_error.hpp) and logs it under the
// function's name.
jitnorm_acl_status_t answer(const char *function, outcome result) noexcept;

// Answers with the outcome that `body` returns or the exception that it throws.
template <typename Body>
jitnorm_acl_status_t guarded(const char *function, Body &&body) noexcept {
    try {
        return answer(function, body());
    } catch (const std::bad_alloc &) {
        return answer(function, {JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR, "out of memory"});
    } catch (const std::system_error &error) {
        return answer(function, {JITNORM_ACLNN_ERR_RUNTIME_ERROR, error.what()});
    } catch (const std::exception &error) {
        return answer(function, {JITNORM_ACLNN_ERR_INNER, error.what()});
    } catch (...) {
        return answer(function, {JITNORM_ACLNN_ERR_INNER, "an unknown error"});
    }
}

} // namespace jitnorm::impl::aclnn
