// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <cstdio>

#include "../core/thread_state.hpp"
#include "../core/verbose.hpp"

namespace jitnorm::impl::aclnn {

namespace {

void remember(const char *function, outcome result) {
    thread_state *state = state_of_this_thread();
    if (state == nullptr) return;
    std::snprintf(state->recent_failure, sizeof state->recent_failure, "%s: %d: %s", function, int(result.status),
                  result.reason);
    state->has_recent_failure = true;
}

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
    remember(function, result);
    if (verbose_level() >= 1) {
        char text[512];
        std::snprintf(text, sizeof text, "%s,%d,%s", function, int(result.status), result.reason);
        log_line("error", text);
    }
    return result.status;
}

const char *take_recent_failure() noexcept {
    thread_state *state = existing_state_of_this_thread();
    if (state == nullptr || !state->has_recent_failure) return nullptr;
    state->has_recent_failure = false;
    return state->recent_failure;
}

} // namespace jitnorm::impl::aclnn
