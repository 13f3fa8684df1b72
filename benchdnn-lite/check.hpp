// SPDX-License-Identifier: Apache-2.0
// check: runs an execution on filled inputs and judges every output by the oracle.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "execution.hpp"
#include "fill.hpp"

namespace benchdnn_lite {

struct check_result {
    size_t errors = 0, total = 0;
    std::vector<std::string> lines; // what is wrong: worst element of each tensor
    bool ok() const { return errors == 0; }
};

// Called between execution and comparison; tests plant errors here.
using after_run = std::function<void(const execution &)>;

check_result check(const execution &e, fill_kind kind, uint64_t seed, const after_run &tamper = {});

} // namespace benchdnn_lite
