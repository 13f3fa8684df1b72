// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <cstdio>

#include "../core/verbose.hpp"

namespace jitnorm::impl::aclnn {

namespace {

thread_local char recent_failure[512];
thread_local bool is_recent = false;

} // namespace

outcome translate(layer_norm::verdict v) {
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
    std::snprintf(recent_failure, sizeof recent_failure, "%s: %d: %s", function, int(result.status), result.reason);
    is_recent = true;
    if (verbose_level() >= 1) {
        char text[sizeof recent_failure];
        std::snprintf(text, sizeof text, "%s,%d,%s", function, int(result.status), result.reason);
        log_line("error", text);
    }
    return result.status;
}

const char *take_recent_failure() noexcept {
    const bool there_is = is_recent;
    is_recent = false;
    return there_is ? recent_failure : nullptr;
}

} // namespace jitnorm::impl::aclnn
