// SPDX-License-Identifier: Apache-2.0
// Turns the library's statuses into exceptions.
#include "api.hpp"

#include "../text.hpp"

namespace benchdnn_lite {

api_error::api_error(jitnorm_status_t answer, const char *call)
    : std::runtime_error(concat(call, " answered ", jitnorm_status2str(answer), ": ", jitnorm_get_last_error())),
      status(answer) {}

void check_status(jitnorm_status_t status, const char *call) {
    if (status != jitnorm_success) throw api_error(status, call);
}

} // namespace benchdnn_lite
