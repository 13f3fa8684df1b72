// SPDX-License-Identifier: Apache-2.0
// outcome: the result of a test.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "jitnorm/jitnorm_types.h"

namespace benchdnn_lite {

enum class state { listed, skipped, invalid_arguments, unimplemented, initialized, executed, passed, failed };

inline const char *name_of(state status) {
    constexpr const char *NAMES[] = {
        "LISTED", "SKIPPED", "INVALID_ARGUMENTS", "UNIMPLEMENTED", "INITIALIZED", "EXECUTED", "PASSED", "FAILED"};
    return NAMES[size_t(status)];
}

// The state of a test whose call the library answered with an error.
inline state state_of(jitnorm_status_t status) {
    return status == jitnorm_unimplemented       ? state::unimplemented
           : status == jitnorm_invalid_arguments ? state::invalid_arguments
                                                 : state::failed;
}

struct outcome {
    state status = state::passed;
    std::string reason;               // why the test neither passed nor was executed
    std::vector<std::string> details; // of a failure
    std::vector<std::string> notes;   // shown on request
    size_t errors = 0, total = 0;     // counted in elements
    bool filtered = false;            // skipped because no implementation is left that --impl or --skip-impl accepts

    bool is_failure() const {
        return status == state::failed || status == state::unimplemented || status == state::invalid_arguments;
    }
};

inline outcome outcome_without_elements(state status, std::string reason) {
    return {status, std::move(reason), {}, {}, 0, 0, false};
}

} // namespace benchdnn_lite
