// SPDX-License-Identifier: Apache-2.0
// failure: where this front end's C interface ends. Functions behind it answer an outcome or throw; in front of it
// there are Ascend's numbers, the thread's recent error, and a line in the verbose log.
#pragma once

#include <exception>
#include <new>
#include <system_error>

#include "../../core/problem.hpp"
#include "jitnorm/jitnorm_aclnn.h"

namespace jitnorm::impl::aclnn {

struct outcome {
    jitnorm_acl_status_t status = JITNORM_ACLNN_SUCCESS;
    const char *reason = ""; // static, or explain()'s

    bool failed() const { return status != JITNORM_ACLNN_SUCCESS; }
};

constexpr outcome null_pointer(const char *reason) { return {JITNORM_ACLNN_ERR_PARAM_NULLPTR, reason}; }
constexpr outcome invalid(const char *reason) { return {JITNORM_ACLNN_ERR_PARAM_INVALID, reason}; }

constexpr outcome tiling(const char *reason) { return {JITNORM_ACLNN_ERR_INNER_TILING, reason}; }

// Ascend's number for what the core answers.
outcome translate(verdict v);

// The outcome's status; the reason of a failure is kept for the thread (last_error.hpp), and logged under the
// function's name.
jitnorm_acl_status_t answer(const char *function, outcome result) noexcept;

// answer() of what body answers or throws.
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
