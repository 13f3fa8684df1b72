// SPDX-License-Identifier: Apache-2.0
// report: the results of a race as text, a line for each problem, and summaries; and as JSON for other programs.
#pragma once

#include "race.hpp"

namespace benchdnn_lite {

std::string race_heading(const std::string &ours, const std::string &theirs, const race_conditions &conditions);
std::string race_line(const race_result &result);

// Summarizes the forward problems, then the backward ones: how many were raced, and the geometric means and the worst
// of the ratios.
std::string race_summary(const std::vector<race_result> &results);

// Says that the machine was too busy, and in how many problems; empty if it was calm.
std::string race_unrest(const std::vector<race_result> &results);

// The results of the forward problems, or of the backward ones.
std::vector<const race_result *> results_of(const std::vector<race_result> &results, bool forward);

struct race_setting {
    std::string ours, theirs; // libraries with their versions
    race_conditions conditions;
};

std::string race_json(const race_setting &setting, const std::vector<race_result> &results);

} // namespace benchdnn_lite
