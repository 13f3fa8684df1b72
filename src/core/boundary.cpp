// SPDX-License-Identifier: Apache-2.0
#include "boundary.hpp"

#include <cstdio>

#include "jitnorm/jitnorm_debug.h"
#include "verbose.hpp"

namespace jitnorm::impl {

// Nothing is allocated: this runs when memory is out, and from executions.
jitnorm_status_t report(const char *function, verdict result) noexcept {
    if (result.status == jitnorm_success || *result.reason == '\0' || verbose_level() < 1) return result.status;
    char text[512];
    std::snprintf(text, sizeof text, "%s,%s,%s", function, jitnorm_status2str(result.status), result.reason);
    log_line("error", text);
    return result.status;
}

} // namespace jitnorm::impl
