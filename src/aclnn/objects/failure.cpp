// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <cstdio>

#include "../../core/boundary.hpp"
#include "../../system/verbose.hpp"

namespace jitnorm::impl::aclnn {

outcome translate(verdict v) {
    switch (v.status) {
    case jitnorm_success:
        return {};
    case jitnorm_out_of_memory:
        return {JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR, v.reason};
    case jitnorm_invalid_arguments:
    case jitnorm_unimplemented:
        return invalid(v.reason);
    case jitnorm_runtime_error:
        return {JITNORM_ACLNN_ERR_RUNTIME_ERROR, v.reason};
    default:
        return {JITNORM_ACLNN_ERR_INNER, v.reason};
    }
}

jitnorm_acl_status_t answer(const char *function, outcome result) noexcept {
    if (!result.failed()) return result.status;
    char number[16];
    std::snprintf(number, sizeof number, "%d", int(result.status));
    remember_error(function, number, result.reason);
    if (verbose_level() >= VERBOSE_ERRORS) log_error(function, number, result.reason);
    return result.status;
}

} // namespace jitnorm::impl::aclnn
