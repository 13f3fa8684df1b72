// SPDX-License-Identifier: Apache-2.0
// Names of outcomes.
#include "outcome.hpp"

namespace benchdnn_lite {

const char *name_of(state status) {
    constexpr const char *NAMES[] = {
        "LISTED", "SKIPPED", "INVALID_ARGUMENTS", "UNIMPLEMENTED", "INITIALIZED", "EXECUTED", "PASSED", "FAILED"};
    return NAMES[size_t(status)];
}

bool outcome::is_failure() const {
    return status == state::failed || status == state::unimplemented || status == state::invalid_arguments;
}

} // namespace benchdnn_lite
