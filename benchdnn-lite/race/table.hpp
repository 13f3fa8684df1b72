// SPDX-License-Identifier: Apache-2.0
// table: the race as text, a line for each problem and the summaries.
#pragma once

#include "race.hpp"

namespace benchdnn_lite {

std::string race_heading(const std::string &ours, const std::string &theirs, const race_conditions &conditions);
std::string race_line(const race_result &result);

// Of the forward problems, then of the backward ones: geometric mean, worst and how many took part.
std::string race_summary(const std::vector<race_result> &results);

// That the machine was too busy, and in how many problems; empty if it was calm.
std::string race_unrest(const std::vector<race_result> &results);

// Results of one of the two kinds.
std::vector<const race_result *> results_of(const std::vector<race_result> &results, bool forward);

} // namespace benchdnn_lite
