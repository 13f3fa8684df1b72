// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

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

acl_status status_of_exception() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return {JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR, "out of memory"};
    } catch (const std::system_error &error) {
        return {JITNORM_ACLNN_ERR_RUNTIME_ERROR, error.what()};
    } catch (const std::exception &error) {
        return {JITNORM_ACLNN_ERR_INNER, error.what()};
    } catch (...) {
        return {JITNORM_ACLNN_ERR_INNER, "an unknown error"};
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
