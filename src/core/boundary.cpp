// SPDX-License-Identifier: Apache-2.0
#include "boundary.hpp"

#include <algorithm>
#include <cstdio>

#include "../system/verbose.hpp"
#include "jitnorm/jitnorm_debug.h"

namespace jitnorm::impl {

namespace {

// One name of a list: for "a, b, c", index 0 is "a".
std::string_view name_at(std::string_view names, size_t index) {
    for (; index > 0; --index) names.remove_prefix(std::min(names.find(", "), names.size() - 2) + 2);
    return names.substr(0, names.find(','));
}

// Whether the status may be what the caller wanted to know: programs try whether the library supports a problem. Such
// a status is logged from verbose level 1 on only.
bool is_an_answer(jitnorm_status_t status) { return status == jitnorm_unimplemented; }

} // namespace

verdict null_among(std::string_view names, std::initializer_list<const void *> pointers) noexcept {
    const auto *found = std::find(pointers.begin(), pointers.end(), nullptr);
    const std::string_view name = name_at(names, size_t(found - pointers.begin()));
    return invalid(explain("%.*s is null", int(name.size()), name.data()));
}

void log_error(const char *function, std::string_view status, const char *reason) noexcept {
    char text[512];
    std::snprintf(text, sizeof text, "%s,%.*s,%s", function, int(status.size()), status.data(), reason);
    log_line("error", text);
}

// Allocates nothing, because it also runs when memory is out, and within executions.
void report_error(const char *function, verdict error) noexcept {
    const char *status = jitnorm_status2str(error.status);
    const bool has_reason = *error.reason != '\0';
    remember_error(function, status, has_reason ? error.reason : status);
    if (has_reason && verbose_level() >= (is_an_answer(error.status) ? 1 : VERBOSE_ERRORS))
        log_error(function, status, error.reason);
}

} // namespace jitnorm::impl
