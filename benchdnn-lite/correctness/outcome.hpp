// SPDX-License-Identifier: Apache-2.0
// outcome: the result of a test.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "jitnorm/jitnorm_types.h"

namespace benchdnn_lite {

class comparison;

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

struct findings {
    size_t errors = 0, total = 0;     // counted in elements
    std::vector<std::string> details; // the mistakes, with the worst element of each tensor
    std::vector<std::string> notes;   // shown on request

    void add(const comparison &c, const std::string &place = ""); // place: what details begin with
};

struct outcome : findings {
    state status = state::passed;
    std::string reason;    // why the test neither passed nor was executed
    bool filtered = false; // skipped because no implementation is left that --impl or --skip-impl accepts

    bool is_failure() const {
        return status == state::failed || status == state::unimplemented || status == state::invalid_arguments;
    }
};

// What every driver knows of a test that has run.
struct test_result {
    outcome what;
    std::string implementation; // empty: no primitive was made
    double milliseconds = 0;    // duration of the test
};

inline outcome outcome_without_elements(state status, std::string reason) {
    outcome o;
    o.status = status;
    o.reason = std::move(reason);
    return o;
}

} // namespace benchdnn_lite
