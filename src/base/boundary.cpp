// SPDX-License-Identifier: Apache-2.0
#include "boundary.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "jitnorm/jitnorm_debug.h"
#include "verbose.hpp"

namespace jitnorm::impl {

status null_among(std::string_view names, std::initializer_list<const void *> pointers) noexcept {
    for (const void *pointer : pointers) {
        if (pointer == nullptr) break;
        names.remove_prefix(std::min(names.find(", "), names.size() - 2) + 2);
    }
    const std::string_view name = names.substr(0, names.find(','));
    return invalid(explain("%.*s is null", int(name.size()), name.data()));
}

jitnorm_status_t report_null(const char *function, std::string_view names,
                             std::initializer_list<const void *> pointers) noexcept {
    return report(function, null_among(names, pointers));
}

status status_of_exception() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return OUT_OF_MEMORY;
    } catch (const std::exception &error) {
        return {jitnorm_runtime_error, error.what()};
    } catch (...) {
        return {jitnorm_runtime_error, "an unknown error"};
    }
}

void log_error(const char *function, std::string_view code, const char *reason) noexcept {
    char text[512];
    std::snprintf(text, sizeof text, "%s,%.*s,%s", function, int(code.size()), code.data(), reason);
    log_line("error", text);
}

// Allocates nothing, because it also runs when memory is out, and within executions. Programs try whether the library
// supports a problem: that it does not is logged from verbose level 1 on only.
void report_error(const char *function, status error) noexcept {
    const char *name = jitnorm_status2str(error.code);
    const bool has_reason = *error.reason != '\0';
    remember_error(function, name, has_reason ? error.reason : name);
    if (has_reason && verbose_level() >= (error.code == jitnorm_unimplemented ? 1 : VERBOSE_ERRORS))
        log_error(function, name, error.reason);
}

} // namespace jitnorm::impl
