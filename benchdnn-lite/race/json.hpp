// SPDX-License-Identifier: Apache-2.0
// json: the results of a race as JSON, for other programs.
#pragma once

#include "race.hpp"

namespace benchdnn_lite {

struct race_setting {
    std::string ours, theirs; // libraries with their versions
    race_conditions conditions;
};

std::string race_json(const race_setting &setting, const std::vector<race_result> &results);

} // namespace benchdnn_lite
