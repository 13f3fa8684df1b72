// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <cstdio>

#include "../../base/boundary.hpp"
#include "../../base/verbose.hpp"

namespace jitnorm::impl::aclnn {

acl_status translate(status s) {
    switch (s.code) {
    case jitnorm_success:
        return {};
    case jitnorm_out_of_memory:
        return {JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR, s.reason};
    case jitnorm_invalid_arguments:
    case jitnorm_unimplemented:
        return invalid(s.reason);
    case jitnorm_runtime_error:
        return {JITNORM_ACLNN_ERR_RUNTIME_ERROR, s.reason};
    default:
        return {JITNORM_ACLNN_ERR_INNER, s.reason};
    }
}

jitnorm_acl_status_t answer(const char *function, acl_status result) noexcept {
    if (!result.failed()) return result.code;
    char number[16];
    std::snprintf(number, sizeof number, "%d", int(result.code));
    remember_error(function, number, result.reason);
    if (verbose_level() >= VERBOSE_ERRORS) log_error(function, number, result.reason);
    return result.code;
}

} // namespace jitnorm::impl::aclnn
